//! A Box in a `let`.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let y: Box<f32> = Box::new(x);
    *y + n as f32
}

fn main() {}
