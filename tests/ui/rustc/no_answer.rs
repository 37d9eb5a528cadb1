//! An answer that is no message.

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
fn ledger(account: &mut Account, deposit: Deposit) -> Option<u32> {
    account.cents += deposit.cents;
    Some(account.cents)
}

fn main() {}
