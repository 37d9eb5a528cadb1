//! A method of Option that takes a closure.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let y = n.checked_sub(1).map(|m| m * 2);
    x + y.unwrap_or(0) as f32
}

fn main() {}
