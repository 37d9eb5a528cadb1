//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn lookup(table: &[f32], pos: (f32, f32), n: usize) -> f32 {
    let total: f32 = (0..n).map(|i| table[i]).sum::<f32>();
    let v: Vec<u32> = Vec::new();
//~ «Vec<u32>» `Vec<u32>` cannot be used inside a #[routine] … if `Vec<u32>` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
    let a = [1.0f32; 4]; let b = a.map(|x| x * 2.0);
    total
}
fn main() {}
