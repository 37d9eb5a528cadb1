//! A trait object.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: &dyn Fn(f32) -> f32) -> f32 {
    1.0
}

fn main() {}
