//! A guard on alternatives that may match at once, which is asked for each.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    match (n, n + 1) {
        (m, _) | (_, m) if m > 3 => m as f32,
        _ => x,
    }
}

fn main() {}
