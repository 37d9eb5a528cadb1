//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(x: Option<f32>) -> f32 { x.map(|v| v * 2.0).unwrap_or(0.0) }
fn main() {}
