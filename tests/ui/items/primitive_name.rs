//! A routine named as a primitive.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f32(x: u32) -> u32 {
    x
}

fn main() {}
