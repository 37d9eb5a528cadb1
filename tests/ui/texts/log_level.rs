//! `log!` without its level.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: u32) -> u32 {
    gpuvm::log!("x is {x}");
    x
}

fn main() {}
