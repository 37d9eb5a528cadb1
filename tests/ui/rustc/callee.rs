//! A call of a function that is no routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    half(x) + n as f32
//~ «half» `fn(f32) -> f32 {half}` is not a routine, and only routines can be called inside a #[routine] … put `#[routine]` above the `fn` that is called here
}

fn half(x: f32) -> f32 {
    x / 2.0
}

fn main() {}
