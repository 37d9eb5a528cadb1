//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn apply(x: f32) -> f32 {
    let f = |v: f32| v * 2.0;
    f(x)
}
fn main() {}
