//! A `let` in the middle of an expression.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let found = (let Some(y) = Some(x));
    x + n as f32
}

fn main() {}
