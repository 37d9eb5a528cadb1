//! A text that is no literal.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    const TEXT: &str = "no";
    panic!(TEXT)
}

fn main() {}
