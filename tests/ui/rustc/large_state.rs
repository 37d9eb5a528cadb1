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
//~ «Account» evaluation panicked: an actor's state has at most 64 KiB; spread it over more actors … evaluation of `_` failed here
    account.log[0] += deposit.cents;
}

fn main() {}
