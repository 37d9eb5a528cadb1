//! An argument of the wrong type.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    helper(n)
//~ «n» mismatched types … expected `f32`, found `u32`
}

#[routine]
fn helper(x: f32) -> f32 {
    x
}

fn main() {}
