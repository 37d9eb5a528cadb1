//! A mistake of first contact that is none of gpuvm's any more: rustc denies it when it builds, as without `#[routine]`, and who allows it gets a trap.

#![allow(unused, unconditional_panic)]

use gpuvm::prelude::*;
#[routine]
fn f(x: u32) -> u32 { let a = [1u32, 2, 3]; a[5] + x }
fn main() {}
