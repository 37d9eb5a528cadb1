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
//~ «y» no field `y` on type `P` … unknown field
}

fn main() {}
