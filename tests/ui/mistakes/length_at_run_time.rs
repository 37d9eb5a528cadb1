//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(n: usize) -> u32 { let a = [0u32; n]; a[0] }
fn main() {}
