//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(x: u8) -> u32 { let y: u32 = x.into(); y + u32::from(x) }
fn main() {}
