//! More values than placeholders.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    assert!(x > 0.0, "{}", x, n);
    x
}

fn main() {}
