//! A reply of another type than the answer.

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
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) -> Option<Balance> {
    *cents += deposit.cents;
    ctx.reply(deposit);
//~ «deposit» mismatched types … expected `Balance`, found `Deposit`
    None
}

fn main() {}
