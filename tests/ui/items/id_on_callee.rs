//! An id for what is never launched.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine(callee, id = "g")]
fn f(x: f32) -> f32 {
    x
}

fn main() {}
