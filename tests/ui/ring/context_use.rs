//! A context that is handed on.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[routine(callee)]
fn forward(actor: u32) -> u32 {
    actor + 1
}

#[ring_kernel]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) {
    let neighbours = ctx;
    *cents += forward(deposit.cents);
}

fn main() {}
