//! `replies` on a ring kernel that has nothing to reply with.

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
fn ledger(cents: &mut u32, deposit: Deposit) -> Balance {
    *cents += deposit.cents;
    Balance { cents: *cents }
}

fn main() {}
