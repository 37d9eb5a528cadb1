//! A range kept in a variable.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let range = 0..n;
    x
}

fn main() {}
