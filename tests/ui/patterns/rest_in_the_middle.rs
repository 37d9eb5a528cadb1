//! `..` in the middle of a tuple's pattern.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let (a, .., b) = (x, n, 2.0);
    a + b
}

fn main() {}
