//! Accounts kept by kameo: each is an actor, a task of tokio with a mailbox of the size that kameo gives it.

use std::convert::Infallible;
use std::sync::Arc;

use anyhow::Result;
use kameo::prelude::*;
use tokio::runtime::{Handle, Runtime as Tokio};

use crate::ring::{Account, Acknowledged, Balance, Bank, Deposit, Deposits, ledger};

/// Deposits whose balances are waited for together.
const CHUNK: usize = 4096;

/// An account's actor.
#[derive(Actor)]
struct Keeper(Account);

impl Message<Deposit> for Keeper {
    type Reply = Result<Balance, Infallible>;

    async fn handle(&mut self, deposit: Deposit, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        Ok(ledger(&mut self.0, deposit))
    }
}

/// All accounts.
#[derive(Clone)]
pub struct Kameo {
    tokio: Handle,
    keepers: Arc<[ActorRef<Keeper>]>,
    acknowledged: Acknowledged,
}

impl Kameo {
    /// Spawns the actors of so many accounts.
    pub fn open(tokio: &Tokio, accounts: u32, acknowledged: Acknowledged) -> Kameo {
        let _entered = tokio.enter();
        Kameo {
            tokio: tokio.handle().clone(),
            keepers: (0..accounts)
                .map(|_| Keeper::spawn(Keeper(Account::default())))
                .collect(),
            acknowledged,
        }
    }

    fn keeper(&self, account: u32) -> &ActorRef<Keeper> {
        &self.keepers[account as usize]
    }

    /// Makes the deposits of every account whose number leaves this remainder.
    async fn part(self, deposits: Deposits, [remainder, parts]: [u32; 2]) -> Result<Vec<(u32, Balance)>> {
        let own = |(account, _): &&(u32, Deposit)| account % parts == remainder;
        let own: Vec<_> = deposits.iter().filter(own).copied().collect();
        if self.acknowledged == Acknowledged::Each {
            return self.ask_all(&own).await;
        }
        for (account, deposit) in own {
            self.keeper(account).tell(deposit).await?;
        }
        let accounts = (remainder..self.keepers.len() as u32).step_by(parts as usize);
        let last: Vec<_> = accounts.map(|account| (account, Deposit { cents: 0 })).collect();
        self.ask_all(&last).await
    }

    /// Asks, with many questions under way.
    async fn ask_all(&self, deposits: &[(u32, Deposit)]) -> Result<Vec<(u32, Balance)>> {
        let mut balances = Vec::with_capacity(deposits.len());
        let mut pending = Vec::with_capacity(CHUNK);
        for chunk in deposits.chunks(CHUNK) {
            for &(account, deposit) in chunk {
                pending.push((account, self.keeper(account).ask(deposit).enqueue().await?));
            }
            for (account, balance) in pending.drain(..) {
                balances.push((account, balance.await?));
            }
        }
        Ok(balances)
    }
}

impl Bank for Kameo {
    /// As many tasks as the machine has threads send, each to accounts of its own.
    fn make(&self, deposits: &Deposits, balances: &mut Vec<(u32, Balance)>) -> Result<()> {
        let parts = self.tokio.metrics().num_workers() as u32;
        let tasks = (0..parts).map(|part| {
            let task = self.clone().part(Deposits::clone(deposits), [part, parts]);
            self.tokio.spawn(task)
        });
        let tasks: Vec<_> = tasks.collect();
        for task in tasks {
            balances.extend(pollster::block_on(task)??);
        }
        Ok(())
    }

    fn acknowledged(&self) -> Acknowledged {
        self.acknowledged
    }

    fn call(&self, account: u32, deposit: Deposit) -> Result<Balance> {
        Ok(self.keeper(account).ask(deposit).blocking_send()?)
    }

    async fn ask(&self, account: u32, deposit: Deposit) -> Result<Balance> {
        Ok(self.keeper(account).ask(deposit).await?)
    }
}
