//! A routine that is given a closure with variables of its own, by value, and calls itself.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn count_down(n: u32, mut f: impl FnMut(u32) -> u32 + Copy) -> u32 {
    if n == 0 { f(0) } else { f(n) + count_down(n - 1, f) }
}

fn main() {}
