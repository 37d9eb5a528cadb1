//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn double(x: &f32) -> f32 { *x * 2.0 }
#[routine]
fn first(x: &[f32; 4]) -> f32 { x[0] }
fn main() {}
