//! A message without a derive.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Default)]
struct Account {
    cents: u32,
}

#[derive(Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[ring_kernel]
fn ledger(account: &mut Account, deposit: Deposit) {
//~ «Deposit» `Deposit` is not a message … if `Deposit` is your own struct or enum, add `#[derive(RingMessage, Clone, Copy)]` to its definition, in place of `VmType`
    account.cents += deposit.cents;
}

fn main() {}
