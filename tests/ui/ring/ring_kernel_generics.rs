//! A ring kernel with a type parameter.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Default)]
struct Account {
    cents: u32,
}

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[ring_kernel]
fn ledger<M: RingMessage>(account: &mut Account, message: M) {
    account.cents += 1;
}

fn main() {}
