//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
static LIMIT: u32 = 3;
static mut COUNT: u32 = 0;
#[routine]
fn f(n: u32) -> u32 { if n > LIMIT { 1 } else { 0 } }
fn main() {}
