//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn total(values: &[f32]) -> f32 {
    values.iter().map(|v| v * v).sum()
}
fn main() {}
