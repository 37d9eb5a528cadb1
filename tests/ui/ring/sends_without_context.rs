//! `sends` on a ring kernel that has nothing to send with.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[ring_kernel(sends = 8)]
fn ledger(cents: &mut u32, deposit: Deposit) {
    *cents += deposit.cents;
}

fn main() {}
