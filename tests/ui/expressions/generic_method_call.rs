//! Type arguments on a method.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    x + n.pow::<u32>(2) as f32
}

fn main() {}
