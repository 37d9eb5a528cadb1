//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct View<'a> { data: &'a [f32] }
#[routine]
fn first(v: View) -> f32 { v.data[0] }
//~ «View» `View<'_>` cannot be a value of the machine … if `View<'_>` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
fn main() {}
