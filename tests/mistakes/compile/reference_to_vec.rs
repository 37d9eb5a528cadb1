//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn total(values: &Vec<f32>) -> f32 {
//~ «Vec<f32>» `Vec<f32>` cannot be a value of the machine … if `Vec<f32>` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
    let mut sum = 0.0;
    for v in values { sum += v; }
    sum
}
fn main() {}
