//! Two ring kernels of one id.

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

#[ring_kernel(id = "ledger")]
fn pay_in(account: &mut Account, deposit: Deposit) {
    account.cents += deposit.cents;
}

#[ring_kernel(id = "ledger")]
//~ «"ledger"» the name `ring_kernel_id_ledger` is defined multiple times … `ring_kernel_id_ledger` redefined here
fn pay_out(account: &mut Account, deposit: Deposit) {
    account.cents -= deposit.cents;
}

fn main() {}
