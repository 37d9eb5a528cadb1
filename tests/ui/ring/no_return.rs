//! A ring kernel that never returns.

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
fn ledger(account: &mut Account, deposit: Deposit) -> ! {
    panic!()
}

fn main() {}
