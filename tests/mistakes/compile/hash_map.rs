//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
use std::collections::HashMap;
#[routine]
fn look(x: u32) -> u32 { let mut m = HashMap::new(); m.insert(x, 1); m[&x] }
//~ «HashMap» `HashMap<_, _>` cannot be used inside a #[routine] … if `HashMap<_, _>` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
fn main() {}
