//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct D { c: u32 }
#[ring_kernel]
fn k(s: &mut u32, d: D) -> D { *s += d.c; d }
fn main() {}
