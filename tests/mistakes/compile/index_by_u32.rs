//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(a: &[f32], i: u32) -> f32 { a[i] }
//~ «i» the type `[f32]` cannot be indexed by `u32` … slice indices are of type `usize` or ranges of `usize`
fn main() {}
