//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn best(a: &[f32]) -> u32 {
    let mut best = 0;
    for (i, x) in a.iter().enumerate().skip(1) { if *x > a[best as usize] { best = i as u32; } }
    best
}
fn main() {}
