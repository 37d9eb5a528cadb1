//! A const function.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
const fn f(x: f32) -> f32 {
    x
}

fn main() {}
