//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(RingMessage, Clone, Copy, Debug)]
struct D { c: u32 }
#[ring_kernel]
fn k(s: u32, d: D) -> D { d }
#[ring_kernel]
fn k2(s: &mut u32, d: u32) -> u32 { d }
#[ring_kernel]
fn k3(s: &mut u32, d: D, ctx: &Ring) -> D { ctx.send(3, d); d }
fn main() {}
