//! A macro of `tracing` or `log`.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: u32) -> u32 {
    warn!("x is {x}");
    x
}

fn main() {}
