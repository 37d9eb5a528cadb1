//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(a: &[f32], i: u32) -> f32 { a[i] }
fn main() {}
