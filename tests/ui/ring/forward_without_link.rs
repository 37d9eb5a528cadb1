//! A message to another kernel whose type the context does not name.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[derive(RingMessage, Clone, Copy)]
struct Notice {
    cents: u32,
}

#[ring_kernel]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) {
    *cents += deposit.cents;
    ctx.forward(0, Notice { cents: *cents });
}

fn main() {}
