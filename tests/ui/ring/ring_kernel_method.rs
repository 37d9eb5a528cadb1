//! #[ring_kernel] on a method.

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

impl Account {
    #[ring_kernel]
    fn pay_in(&mut self, deposit: Deposit) {
        self.cents += deposit.cents;
    }
}

fn main() {}
