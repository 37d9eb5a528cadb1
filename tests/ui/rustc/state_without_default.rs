//! A state without a default.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Account {
    cents: u32,
}

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[ring_kernel]
fn ledger(account: &mut Account, deposit: Deposit) {
//~ «Account» the trait bound `Account: Default` is not satisfied … the trait `Default` is not implemented for `Account`
    account.cents += deposit.cents;
}

fn main() {}
