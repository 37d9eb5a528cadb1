//! A context that is handed on.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[ring_kernel]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) {
    let neighbours = ctx;
    *cents += deposit.cents;
}

fn main() {}
