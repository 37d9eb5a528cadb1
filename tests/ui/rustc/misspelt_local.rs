//! A misspelt variable.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    x + m as f32
//~ «m» cannot find value `m` in this scope … not found in this scope
}

fn main() {}
