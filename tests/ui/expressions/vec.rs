//! `vec!` in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let values = vec![x, 1.0];
    values[0] + n as f32
}

fn main() {}
