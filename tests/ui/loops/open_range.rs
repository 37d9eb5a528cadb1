//! A loop over a range from the start.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let mut sum = x;
    for i in ..n {
        sum += i as f32;
    }
    sum
}

fn main() {}
