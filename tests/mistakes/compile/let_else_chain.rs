//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(n: Option<u32>) -> u32 { let Some(x) = n else { return 0 }; if let Some(y) = n && y > 3 { return y; } x }
fn main() {}
