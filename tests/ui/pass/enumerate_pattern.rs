//! `.enumerate()` bound as a whole.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let mut sum = x;
    for pair in [1.0, 2.0].iter().enumerate() {
        sum += *pair.1;
    }
    sum + n as f32
}

fn main() {}
