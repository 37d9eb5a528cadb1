//! Relaxed floats asked for twice.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine(relaxed, id = "g", relaxed)]
fn f(x: f32) -> f32 {
    x
}

fn main() {}
