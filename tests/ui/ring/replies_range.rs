//! More replies than there may be to one message.

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

#[ring_kernel(replies = 0)]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) -> Balance {
    *cents += deposit.cents;
    ctx.reply(Balance { cents: 0 });
    Balance { cents: *cents }
}

fn main() {}
