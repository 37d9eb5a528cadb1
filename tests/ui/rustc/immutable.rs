//! An assignment to an immutable variable.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    n += 1;
//~ «n += 1» cannot assign to immutable argument `n` … consider making this binding mutable
    x + n as f32
}

fn main() {}
