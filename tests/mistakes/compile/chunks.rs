//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn dot(a: &[f32]) -> f32 {
    let mut sum = 0.0;
    for c in a.chunks(4) { sum += c[0]; }
    sum
}
fn main() {}
