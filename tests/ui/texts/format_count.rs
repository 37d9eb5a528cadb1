//! More values than a trap keeps.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    assert!(x > 0.0, "{x} {n} {}", n + 1);
    x
}

fn main() {}
