//! `.step_by()` before `.rev()`.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let mut sum = x;
    for i in (0..n).step_by(2).rev() {
        sum += i as f32;
    }
    sum
}

fn main() {}
