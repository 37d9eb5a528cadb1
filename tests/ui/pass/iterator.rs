//! A loop over an iterator that routines do not know.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let mut sum = x;
    for (a, b) in [1.0, 2.0].iter().zip([3.0, 4.0].iter()) {
        sum += a * b;
    }
    sum + n as f32
}

fn main() {}
