//! A call of std's function.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    std::mem::take(&mut 1) as f32 + x + n as f32
}

fn main() {}
