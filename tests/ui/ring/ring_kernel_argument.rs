//! An argument that #[ring_kernel] does not know.

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

#[ring_kernel(actors = 3)]
fn ledger(account: &mut Account, deposit: Deposit) {
    account.cents += deposit.cents;
}

fn main() {}
