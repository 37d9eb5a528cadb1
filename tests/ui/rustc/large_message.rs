//! A message that is too large.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Default)]
struct Account {
    cents: u32,
}

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: [u32; 20_000],
}

#[ring_kernel]
fn ledger(account: &mut Account, deposit: Deposit) {
//~ «Deposit» evaluation panicked: a message has at most 64 KiB; send it in parts … evaluation of `_` failed here
    account.cents += deposit.cents[7];
}

fn main() {}
