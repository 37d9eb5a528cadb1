//! A literal with the suffix of a foreign type.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    x + 2.0f16 as f32 + n as f32
}

fn main() {}
