//! A method that the context does not have.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[ring_kernel]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) {
    *cents += deposit.cents;
    ctx.broadcast(deposit);
}

fn main() {}
