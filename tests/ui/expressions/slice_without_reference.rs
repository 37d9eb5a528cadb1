//! A part of an array without a reference.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let values = [1.0, 2.0, 3.0];
    let first = values[0..2].len();
    x + first as f32 + n as f32
}

fn main() {}
