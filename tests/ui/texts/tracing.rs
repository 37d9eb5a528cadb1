//! A macro of `tracing` or `log`, and one that writes.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: u32) -> u32 {
    warn!("x is {x}");
    writeln!(out, "x is {x}");
    x
}

fn main() {}
