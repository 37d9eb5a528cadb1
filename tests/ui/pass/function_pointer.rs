//! A function pointer.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(g: fn(f32) -> f32) -> f32 {
    1.0
}

fn main() {}
