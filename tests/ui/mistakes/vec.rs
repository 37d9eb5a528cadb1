//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn total(values: Vec<f32>) -> f32 {
    let mut sum = 0.0;
    for v in values { sum += v; }
    sum
}
fn main() {}
