//! A const block in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    x + const { 2.0 } + n as f32
}

fn main() {}
