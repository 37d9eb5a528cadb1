//! A precision that is a value itself.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    assert!(x > 0.0, "{x:.n$}");
//~ «"{x:.n$}"» inside a #[routine] the width and precision of a value in a text are numbers, `{:8.3}`, and no values themselves
//~ «.n$» mismatched types … expected `&usize`, found `&u32`
    x + n as f32
}

fn main() {}
