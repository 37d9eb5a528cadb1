//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
use std::time::Instant;
#[routine]
fn t(x: f32) -> f32 { let s = Instant::now(); x + s.elapsed().as_secs_f32() }
//~ «Instant» `Instant` cannot be used inside a #[routine] … if `Instant` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
fn main() {}
