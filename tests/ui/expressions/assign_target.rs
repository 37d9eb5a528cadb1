//! An assignment to what is no place.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let mut y = 1.0;
    (y, 2.0) = (x, x);
    y + n as f32
}

fn main() {}
