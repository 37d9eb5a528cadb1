//! Bytes in a pattern.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    match &[n as u8; 3] {
        b"one" => x,
        _ => -x,
    }
}

fn main() {}
