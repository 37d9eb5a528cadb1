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
//~ «Option<u32>» `Option<u32>` is not an answer that a ring kernel can give … a message is a struct or enum with `#[derive(RingMessage, Clone, Copy)]` in place of `VmType`
    account.cents += deposit.cents;
    Some(account.cents)
}

fn main() {}
