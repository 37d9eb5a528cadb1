//! A mistake of first contact that is none any more: a type that holds references, with its lifetime left out.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct View<'a> { data: &'a [f32] }
#[routine]
fn first(v: View) -> f32 { v.data[0] }
fn main() {}
