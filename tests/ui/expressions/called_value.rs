//! A call of something that is no path.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let f = x;
    f(1.0) + n as f32
}

fn main() {}
