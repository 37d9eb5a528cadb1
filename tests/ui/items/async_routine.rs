//! An async function.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
async fn f(x: f32) -> f32 {
    x
}

fn main() {}
