//! A message with the other derive.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Default)]
struct Account {
    cents: u32,
}

#[derive(VmType, Clone, Copy)]
struct Deposit {
    cents: u32,
}
#[ring_kernel]
fn ledger(account: &mut Account, deposit: Deposit) {
    account.cents += deposit.cents;
}

fn main() {}
