//! Accounts kept by kameo, and tokens handed on by it: each account and each relay is an actor, a task of tokio with a mailbox; an account's
//! has the size that kameo gives it, a relay's has no bound, because relays that wait for each other's room might wait for ever.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::Result;
use kameo::mailbox::unbounded;
use kameo::prelude::*;
use tokio::runtime::{Handle, Runtime as Tokio};
use tokio::sync::Notify;

use crate::ring::{Account, Acknowledged, Balance, Bank, Deposit, Deposits, ledger};
use crate::talk::{Relay, Seen, Token};

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

/// A relay's actor.
#[derive(Actor)]
struct Relayer {
    own: Relay,
    all: Arc<Shared>,
}

/// What relays know of each other.
struct Shared {
    relayers: OnceLock<Vec<ActorRef<Relayer>>>,
    /// Messages that are still to come.
    left: AtomicU64,
    done: Notify,
}

/// Asks what was seen.
struct Ask;

impl Message<Token> for Relayer {
    type Reply = ();

    async fn handle(&mut self, token: Token, _: &mut Context<Self, Self::Reply>) {
        let relayers = self.all.relayers.get().map_or(&[][..], Vec::as_slice);
        if let Some((to, token)) = self.own.take(token, relayers.len() as u32) {
            // The mailbox has no bound and its actor stays.
            let _ = relayers[to as usize].tell(token).try_send();
        }
        if self.all.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.all.done.notify_one();
        }
    }
}

impl Message<Ask> for Relayer {
    type Reply = Result<Seen, Infallible>;

    async fn handle(&mut self, _: Ask, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        Ok(self.own.seen())
    }
}

/// All relays.
pub struct Relays {
    tokio: Handle,
    all: Arc<Shared>,
}

impl Relays {
    /// Spawns relays for tokens that are handed on so many times.
    pub fn open(tokio: &Tokio, relays: u32, times: u32) -> Relays {
        let _entered = tokio.enter();
        let all = Arc::new(Shared {
            relayers: OnceLock::new(),
            left: AtomicU64::new(u64::from(relays) * (u64::from(times) + 1)),
            done: Notify::new(),
        });
        let relayer = |_| {
            let (own, all) = (Relay::default(), Arc::clone(&all));
            Relayer::spawn_with_mailbox(Relayer { own, all }, unbounded())
        };
        all.relayers.get_or_init(|| (0..relays).map(relayer).collect());
        Relays {
            tokio: tokio.handle().clone(),
            all,
        }
    }

    fn relayers(&self) -> &[ActorRef<Relayer>] {
        self.all.relayers.get().map_or(&[], Vec::as_slice)
    }

    /// Sends tokens, and waits until the last was handed on for the last time.
    pub fn hand_on(&self, tokens: impl Iterator<Item = (u32, Token)>) -> Result<()> {
        for (to, token) in tokens {
            self.relayers()[to as usize].tell(token).try_send()?;
        }
        self.tokio.block_on(self.all.done.notified());
        Ok(())
    }

    /// What each has seen. After that they are gone.
    pub fn seen(self) -> Result<Vec<Seen>> {
        let seen = self.tokio.block_on(async {
            let mut seen = Vec::with_capacity(self.relayers().len());
            for chunk in self.relayers().chunks(CHUNK) {
                let mut pending = Vec::with_capacity(CHUNK);
                for relayer in chunk {
                    pending.push(relayer.ask(Ask).enqueue().await?);
                }
                for answer in pending {
                    seen.push(answer.await?);
                }
            }
            Ok::<_, anyhow::Error>(seen)
        })?;
        // They know each other, so none of them would end of itself.
        self.relayers().iter().for_each(ActorRef::kill);
        Ok(seen)
    }
}
