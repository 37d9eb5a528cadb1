//! An attribute on an expression.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    #[cold]
    if n > 1 {
        return x;
    }
    x
}

fn main() {}
