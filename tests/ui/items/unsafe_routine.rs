//! An unsafe function.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
unsafe fn f(x: f32) -> f32 {
    x
}

fn main() {}
