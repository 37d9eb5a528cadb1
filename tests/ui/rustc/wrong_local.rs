//! A local of another type.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32) -> f32 {
    let n: u32 = 1.0f32;
//~ «1.0f32» mismatched types … expected `u32`, found `f32`
    x + n as f32
}

fn main() {}
