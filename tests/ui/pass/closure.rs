//! A closure in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let twice = |y: f32| y * 2.0;
    twice(x) + n as f32
}

fn main() {}
