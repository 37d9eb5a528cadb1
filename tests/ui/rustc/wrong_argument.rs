//! An argument of the wrong type.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    helper(n)
}

#[routine]
fn helper(x: f32) -> f32 {
    x
}

fn main() {}
