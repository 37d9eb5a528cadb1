//! A call of a function that is no routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    half(x) + n as f32
}

fn half(x: f32) -> f32 {
    x / 2.0
}

fn main() {}
