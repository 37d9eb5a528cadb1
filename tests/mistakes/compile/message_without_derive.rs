//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct D { c: u32 }
#[ring_kernel]
fn k(s: &mut u32, d: D) -> D { *s += d.c; d }
//~ «D» `D` is not a message … if `D` is your own struct or enum, add `#[derive(RingMessage, Clone, Copy)]` to its definition, in place of `VmType`
//~ «D» `D` is not an answer that a ring kernel can give … a message is a struct or enum with `#[derive(RingMessage, Clone, Copy)]` in place of `VmType`
fn main() {}
