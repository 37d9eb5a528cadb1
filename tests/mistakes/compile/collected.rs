//! What is collected on the heap, and then used.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn indexed(list: &[f32]) -> f32 {
    let v = list.iter().map(|x| x * 2.0).collect::<Vec<_>>();
//~ «collect» `Vec<f32>` cannot be used inside a #[routine]
    v[0]
}

#[routine]
fn indexed_at_once(list: &[f32], n: usize) -> f32 {
    list.iter().copied().collect::<Vec<f32>>()[n]
//~ «collect» `Vec<f32>` cannot be used inside a #[routine]
}

#[routine]
fn walked(list: &[f32]) -> f32 {
    let v = list.iter().copied().collect::<Vec<_>>();
//~ «collect» `Vec<f32>` cannot be used inside a #[routine]
    let mut s = 0.0;
    for x in &v {
        s += x;
    }
    s
}

fn main() {}
