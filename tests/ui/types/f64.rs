//! f64 in a signature.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f64) -> f32 {
    x as f32
}

fn main() {}
