//! Ring kernels with every kind of answer, as public as they like, in modules, under other names, and called as functions.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Default)]
struct Account {
    cents: u32,
    deposits: u32,
}

#[derive(RingMessage, Clone, Copy, Debug)]
struct Deposit {
    cents: u32,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Reply<T> {
    Balance(T),
    Refused { missing: T },
}

#[ring_kernel]
fn ledger(account: &mut Account, deposit: Deposit) -> Reply<u32> {
    account.cents += deposit.cents;
    account.deposits += 1;
    Reply::Balance(account.cents)
}

#[ring_kernel(id = "ledger, which answers seldom")]
pub fn seldom<'a>(account: &'a mut Account, Deposit { cents }: Deposit) -> Option<Reply<u32>> {
    match ledger(account, Deposit { cents }) {
        Reply::Balance(now) if now > 100 => Some(Reply::Refused { missing: now - 100 }),
        _ => None,
    }
}

pub mod silent {
    use super::*;

    #[ring_kernel(id = "silent")]
    pub fn r#match(state: &mut (u32, Option<f32>), mut message: Deposit) {
        message.cents += 1;
        state.0 += message.cents;
        state.1 = Some((message.cents as f32).sin());
    }

    #[cfg(any())]
    #[ring_kernel(id = "silent")]
    pub fn nowhere(state: &mut NoType, message: NoType) {}
}

#[routine]
fn deposit_twice(account: &mut Account, cents: u32) -> u32 {
    ledger(account, Deposit { cents });
    match ledger(account, Deposit { cents }) {
        Reply::Balance(now) => now,
        Reply::Refused { .. } => 0,
    }
}

fn main() {
    let mut account = Account::default();
    assert_eq!(ledger(&mut account, Deposit { cents: 90 }), Reply::Balance(90));
    assert_eq!(seldom(&mut account, Deposit { cents: 15 }), Some(Reply::Refused { missing: 5 }));
    assert_eq!(account.deposits, 2);
    let mut state = (1, None);
    silent::r#match(&mut state, Deposit { cents: 2 });
    assert_eq!(state.0, 4);
    assert_eq!(deposit_twice(&mut account, 5), 115);
}
