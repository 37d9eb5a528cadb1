//! `forwards` on a ring kernel that forwards nothing.

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

#[ring_kernel(forwards = 8)]
fn ledger(cents: &mut u32, deposit: Deposit, ctx: &mut Ring) {
    *cents += deposit.cents;
}

fn main() {}
