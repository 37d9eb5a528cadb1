//! A function with another ABI.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
extern "C" fn f(x: f32) -> f32 {
    x
}

fn main() {}
