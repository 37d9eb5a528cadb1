//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(x: f32) -> f32 { assert!(x > 0.0, "x is {:.2}", x); x }
fn main() {}
