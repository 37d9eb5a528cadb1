//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(Clone, Copy)]
struct Point { x: f32, y: f32 }
#[routine]
fn len(p: Point) -> f32 {
//~ «Point» `Point` cannot be a value of the machine … if `Point` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
    p.x * p.x + p.y * p.y
}
fn main() {}
