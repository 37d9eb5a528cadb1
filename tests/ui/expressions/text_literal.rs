//! A text for C in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let name = c"gpu";
    x + n as f32
}

fn main() {}
