//! A reply of a ring kernel that does not say how many there are at most.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[derive(RingMessage, Clone, Copy)]
struct Balance {
    cents: u32,
}

#[ring_kernel]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) -> Balance {
    *cents += deposit.cents;
    ctx.reply(Balance { cents: 0 });
    Balance { cents: *cents }
}

fn main() {}
