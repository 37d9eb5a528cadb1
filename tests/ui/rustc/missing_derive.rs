//! A struct without the derive.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(Clone, Copy)]
struct P {
    x: f32,
}

#[routine]
fn f(p: &P) -> f32 {
    p.x
}

fn main() {}
