//! A hundred thousand accounts, each an actor, that send each other ten million transfers. At the end not a cent is missing, and each account
//! has what a sequential run of the same function gives it.
//!
//! `cargo run --release --example bank [-- --accounts 100000 --transfers 10000000 --engine native]`

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm_examples::Choice;
use indicatif::ProgressBar;

/// What an account is told.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Order {
    /// Pay another account so many cents.
    Pay { to: u32, cents: u32 },
    /// Another account has paid so many cents.
    Paid { cents: u32 },
    /// Say what there is.
    Audit,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Account {
    cents: i64,
    paid: u32,
    received: u32,
}

impl Default for Account {
    fn default() -> Account {
        Account {
            cents: 100_000,
            paid: 0,
            received: 0,
        }
    }
}

/// What an account says of itself.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Statement {
    account: u32,
    cents: i64,
    paid: u32,
    received: u32,
}

/// An account may be overdrawn, so what it has in the end does not depend on whose order came first.
#[ring_kernel(sends = 1)]
fn account(own: &mut Account, order: Order, ctx: &mut Ring) -> Option<Statement> {
    match order {
        Order::Pay { to, cents } => {
            own.cents -= cents as i64;
            own.paid += 1;
            ctx.send(to, Order::Paid { cents });
            None
        }
        Order::Paid { cents } => {
            own.cents += cents as i64;
            own.received += 1;
            None
        }
        Order::Audit => Some(Statement {
            account: ctx.actor(),
            cents: own.cents,
            paid: own.paid,
            received: own.received,
        }),
    }
}

/// Lets accounts pay each other.
#[derive(Parser)]
struct Options {
    /// How many accounts.
    #[arg(long, default_value_t = 100_000)]
    accounts: u32,
    /// How many transfers.
    #[arg(long, default_value_t = 10_000_000)]
    transfers: u64,
    /// What runs the accounts.
    #[arg(long, value_enum, default_value = "auto")]
    engine: Choice,
}

fn main() -> ExitCode {
    gpuvm_examples::exit(transfer(&Options::parse()))
}

fn transfer(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = options.engine.runtime()?;
    println!("{}", runtime.device());
    let bank = runtime.blocking_launch_ring(
        "account",
        RingOptions {
            actors: options.accounts,
            queue_capacity: 1 << 21,
            engine: options.engine.into(),
            ..default()
        },
    )?;
    bank.blocking_activate()?;

    let begin = Instant::now();
    let bar = ProgressBar::new(options.transfers);
    bank.blocking_send_all(bar.wrap_iter(transfers(options)))?;
    bank.blocking_settle()?;
    bar.finish_and_clear();
    let took = begin.elapsed();
    let metrics = bank.blocking_metrics()?;
    println!(
        "{} transfers among {} accounts in {took:.2?}",
        options.transfers, options.accounts
    );
    println!("{metrics}");

    bank.blocking_send_all((0..options.accounts).map(|account| (account, Order::Audit)))?;
    let mut statements: Vec<(u32, Statement)> = Vec::new();
    while statements.len() < options.accounts as usize {
        bank.blocking_receive_many(&mut statements, runtime.config().call_timeout)?;
    }
    bank.blocking_terminate()?;
    statements.sort_unstable();
    report(
        options,
        &statements
            .into_iter()
            .map(|(_, statement)| statement)
            .collect::<Vec<_>>(),
    )
}

/// Who pays whom how much: the same each time.
fn transfers(options: &Options) -> impl Iterator<Item = (u32, Order)> + use<> {
    let accounts = u64::from(options.accounts);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let next = move |_| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let (from, to) = (random % accounts, (random >> 24) % accounts);
        let cents = 1 + (random >> 48) as u32 % 10_000;
        (from as u32, Order::Pay { to: to as u32, cents })
    };
    (0..options.transfers).map(next)
}

/// Compares with a sequential run, and says who has most and least.
fn report(options: &Options, statements: &[Statement]) -> Result<(), Box<dyn std::error::Error>> {
    let mut accounts = vec![Account::default(); options.accounts as usize];
    for (from, order) in transfers(options) {
        let mut ctx = Ring::new(from, options.accounts);
        account(&mut accounts[from as usize], order, &mut ctx);
        for (to, order) in ctx.sent::<Order>() {
            account(&mut accounts[to as usize], order, &mut Ring::new(to, options.accounts));
        }
    }
    let same = statements.iter().zip(&accounts).all(|(found, wanted)| {
        (found.cents, found.paid, found.received) == (wanted.cents, wanted.paid, wanted.received)
    });
    let total: i64 = statements.iter().map(|statement| statement.cents).sum();
    let expected = i64::from(options.accounts) * Account::default().cents;
    if !same || total != expected {
        return Err(format!("{total} cents of {expected}, and not what a sequential run gives").into());
    }
    println!(
        "balanced to the cent: {}.{:02} in all, as a sequential run has it",
        total / 100,
        total % 100
    );
    let euros = |cents: i64| cents as f64 / 100.0;
    let mut ranked: Vec<&Statement> = statements.iter().collect();
    ranked.sort_unstable_by_key(|statement| statement.cents);
    for statement in ranked.iter().rev().take(3).chain(ranked.iter().take(3).rev()) {
        let Statement {
            account,
            cents,
            paid,
            received,
        } = statement;
        println!(
            "account {account:>6} {:>12.2}   paid {paid:>4} times, was paid {received:>4} times",
            euros(*cents)
        );
    }
    Ok(())
}
