//! A match that does not take everything.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    match n {
        0 => x,
        1 => -x,
    }
}

fn main() {}
