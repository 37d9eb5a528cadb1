//! A struct without the derive.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(Clone, Copy)]
struct P {
    x: f32,
}

#[routine]
fn f(p: &P) -> f32 {
//~ «P» `P` cannot be a value of the machine … if `P` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
    p.x
}

fn main() {}
