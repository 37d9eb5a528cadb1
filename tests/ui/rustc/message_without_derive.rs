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
//~ «Deposit» `Deposit` cannot be used inside a #[routine] … if `Deposit` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
    account.cents += deposit.cents;
}

fn main() {}
