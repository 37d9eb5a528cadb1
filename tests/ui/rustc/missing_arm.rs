//! A match that does not take everything.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    match n {
//~ «n» non-exhaustive patterns: `2_u32..=u32::MAX` not covered … ensure that all possible cases are being handled by adding a match arm with a wildcard pattern or an explicit pattern as shown
        0 => x,
        1 => -x,
    }
}

fn main() {}
