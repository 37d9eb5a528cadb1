//! A state without the derive.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(Clone, Copy, Default)]
struct Account {
    cents: u32,
}

#[derive(RingMessage, Clone, Copy)]
struct Deposit {
    cents: u32,
}

#[ring_kernel]
fn ledger(account: &mut Account, deposit: Deposit) {
//~ «Account» `Account` cannot be a value of the machine … if `Account` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
    account.cents += deposit.cents;
}

fn main() {}
