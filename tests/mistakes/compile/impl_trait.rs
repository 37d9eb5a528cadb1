//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(x: impl Into<f32>) -> f32 { x.into() }
fn main() {}
