//! A macro in a pattern.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    match n {
        one!() => x,
        _ => -x,
    }
}

fn main() {}
