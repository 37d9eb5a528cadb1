//! A routine that returns a reference.

use gpuvm::prelude::*;

#[routine]
fn largest<'a>(values: &'a [f32], start: u32) -> &'a f32 {
    &values[start as usize]
}

fn main() {}
