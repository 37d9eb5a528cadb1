//! A function that is not in its module.

#![allow(unused)]

use gpuvm::prelude::*;

mod shapes {}

#[routine]
fn f(x: f32) -> f32 {
    shapes::area(x) + 1.0
//~ «area» cannot find value `area` in module `shapes` … not found in `shapes`
}

#[routine]
fn g(sides: &[f32]) -> f32 {
    sides.iter().copied().map(shapes::length).sum::<f32>()
//~ «length» cannot find value `length` in module `shapes` … not found in `shapes`
}

fn main() {}
