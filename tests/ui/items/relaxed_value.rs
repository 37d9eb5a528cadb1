//! A value for an argument that has none.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine(relaxed = true)]
fn f(x: f32) -> f32 {
    x
}

fn main() {}
