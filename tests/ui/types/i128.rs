//! i128 in a cast.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let wide = n as i128;
    x
}

fn main() {}
