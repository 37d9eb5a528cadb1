//! A result of the wrong type.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    n
//~ «n» mismatched types … expected `f32`, found `u32`
}

fn main() {}
