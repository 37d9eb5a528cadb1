//! A string as a parameter.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(text: &str) -> u32 {
    1
}

fn main() {}
