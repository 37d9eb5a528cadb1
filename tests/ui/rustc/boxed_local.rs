//! A Box in a `let`.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let y: Box<f32> = Box::new(x);
//~ «Box<f32>» `Box<f32>` cannot be used inside a #[routine] … if `Box<f32>` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
    *y + n as f32
}

fn main() {}
