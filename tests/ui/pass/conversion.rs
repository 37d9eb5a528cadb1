//! `into` in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let y: u64 = n.into();
    x + y as f32
}

fn main() {}
