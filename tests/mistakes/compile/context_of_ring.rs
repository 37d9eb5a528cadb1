//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(RingMessage, Clone, Copy, Debug)]
struct D { c: u32 }
#[ring_kernel]
fn k(s: u32, d: D) -> D { d }
//~ «u32» the first parameter of a ring kernel is its actor's state, which it changes in place; write `&mut State`
#[ring_kernel]
fn k2(s: &mut u32, d: u32) -> u32 { d }
//~ «u32» `u32` is not a message … if `u32` is your own struct or enum, add `#[derive(RingMessage, Clone, Copy)]` to its definition, in place of `VmType`
//~ «u32» `u32` is not an answer that a ring kernel can give … a message is a struct or enum with `#[derive(RingMessage, Clone, Copy)]` in place of `VmType`
#[ring_kernel]
fn k3(s: &mut u32, d: D, ctx: &Ring) -> D { ctx.send(3, d); d }
//~ «ctx: &Ring» a ring kernel takes its actor's state, one message, and `ctx: &mut Ring` if it wants to send messages; put anything else into the message or into the state
//~ «ctx» cannot borrow `*ctx` as mutable, as it is behind a `&` reference … `ctx` is a `&` reference, so it cannot be borrowed as mutable
fn main() {}
