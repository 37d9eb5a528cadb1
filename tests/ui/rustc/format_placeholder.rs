//! A precision that is no `usize`, and a placeholder that is none.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    assert!(x > 0.0, "{x:.n$}");
//~ «.n$» mismatched types … expected `&usize`, found `&u32`
    x + n as f32
}

#[routine]
fn g(x: f32) {
    println!("{x:y}");
//~ «y» unknown format trait `y`
}

fn main() {}
