//! Relaxed floats for what is never launched.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine(callee, relaxed)]
fn f(x: f32) -> f32 {
    x
}

fn main() {}
