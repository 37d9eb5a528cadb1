//! A precision that is a value itself.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    assert!(x > 0.0, "{x:.n$}");
    x + n as f32
}

fn main() {}
