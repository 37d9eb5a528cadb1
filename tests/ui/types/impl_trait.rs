//! `impl Trait` as a parameter's type.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: impl Copy) -> f32 {
    1.0
}

fn main() {}
