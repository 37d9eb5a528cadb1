//! More messages than an actor may send at a time.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[ring_kernel(sends = 5000)]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) {
    *cents += deposit.cents;
}

fn main() {}
