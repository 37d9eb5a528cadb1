//! An empty id.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine(id = "")]
fn f(x: f32) -> f32 {
    x
}

fn main() {}
