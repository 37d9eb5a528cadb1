//! More messages to another kernel than there may be at a time.

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

#[ring_kernel(forwards = 5000)]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring<Notice>) {
    *cents += deposit.cents;
    ctx.forward(0, Notice { cents: *cents });
}

fn main() {}
