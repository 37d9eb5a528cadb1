//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct V { x: f32, y: f32 }
impl V { fn len2(&self) -> f32 { self.x * self.x + self.y * self.y } }
#[routine]
fn f(v: V) -> f32 { v.len2() }
//~ «len2» this method of `V` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
fn main() {}
