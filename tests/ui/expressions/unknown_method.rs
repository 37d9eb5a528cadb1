//! A method that f32 does not have in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    x.gamma_of_mine() + n as f32
}

fn main() {}
