//! Values in the text of `assert_eq!`.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    assert_eq!(n, 2, "x is {x}");
    x
}

fn main() {}
