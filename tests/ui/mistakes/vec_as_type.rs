//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn lookup(table: &[f32], pos: (f32, f32), n: usize) -> f32 {
    let total: f32 = (0..n).map(|i| table[i]).sum::<f32>();
    let v: Vec<u32> = Vec::new();
    let a = [1.0f32; 4]; let b = a.map(|x| x * 2.0);
    total
}
fn main() {}
