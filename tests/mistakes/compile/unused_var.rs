//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(a: f32, b: f32) -> f32 { let unused = 3; let mut z = a; z }
fn main() {}
