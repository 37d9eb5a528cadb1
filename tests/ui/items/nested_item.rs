//! A module in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    mod inner {}
    x + n as f32
}

fn main() {}
