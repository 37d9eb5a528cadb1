//! A first parameter that is no `&mut`.

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
fn ledger(account: &Account, deposit: Deposit) {}

fn main() {}
