//! A state that is too large.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Account {
    log: [u32; 20_000],
}

impl Default for Account {
    fn default() -> Account {
        Account { log: [0; 20_000] }
    }
}

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[ring_kernel]
fn ledger(account: &mut Account, deposit: Deposit) {
    account.log[0] += deposit.cents;
}

fn main() {}
