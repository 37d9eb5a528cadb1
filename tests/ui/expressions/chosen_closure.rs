//! Closures that are chosen at run time.

use gpuvm::prelude::*;

#[routine]
fn double(x: u32) -> u32 {
    x * 2
}

#[routine]
fn halve(x: u32) -> u32 {
    x / 2
}

#[routine]
fn f(n: u32) -> u32 {
    let step: fn(u32) -> u32 = if n % 2 == 0 { double } else { halve };
    step(n)
}

fn main() {}
