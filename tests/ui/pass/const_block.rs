//! A const block, whose value is computed where it stands.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    x + const { 2.0 } + n as f32
}

fn main() {}
