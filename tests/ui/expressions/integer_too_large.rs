//! A literal of more than 128 bits.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let big = 0x1_0000_0000_0000_0000_0000_0000_0000_0000 as f32;
    x + big + n as f32
}

fn main() {}
