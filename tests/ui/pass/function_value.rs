//! A function as a value.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let g = helper;
    x + n as f32
}

#[routine]
fn helper(x: f32) -> f32 {
    x
}

fn main() {}
