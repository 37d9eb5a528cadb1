//! A static that changes, in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    static mut COUNT: u32 = 0;
    x + n as f32
}

fn main() {}
