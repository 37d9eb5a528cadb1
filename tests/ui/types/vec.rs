//! A Vec as a parameter.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(values: Vec<f32>) -> f32 {
    values[0]
}

fn main() {}
