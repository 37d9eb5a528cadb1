//! An iterator's adapter outside of a loop.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let values = [x, 2.0];
    let sum: f32 = values.iter().sum();
    sum + n as f32
}

fn main() {}
