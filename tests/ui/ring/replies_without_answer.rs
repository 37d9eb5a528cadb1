//! Replies of a ring kernel that returns nothing.

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

#[ring_kernel(replies = 3)]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) {
    *cents += deposit.cents;
    ctx.reply(Balance { cents: *cents });
}

fn main() {}
