//! A misspelt field.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct P {
    x: f32,
}

#[routine]
fn f(p: P) -> f32 {
    p.y
}

fn main() {}
