//! An async block in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let later = async { 1 };
    x + n as f32
}

fn main() {}
