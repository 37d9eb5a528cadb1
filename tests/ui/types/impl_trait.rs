//! `impl Trait` as a result that is no iterator.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32) -> impl Copy {
    x
}

fn main() {}
