//! Messages between actors of one kernel, and of two: tokens that go from actor to actor at random, so many times each. The first are sent before
//! the clock starts, nothing is sent from outside after them, and in the end every actor is asked what it has seen.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Result, ensure};
use gpuvm::ring::KernelHandle;
use gpuvm::{Engine, Ring, RingMessage, VmType, ring_kernel, routine};
use gpuvm_workloads::Size;
use rayon::prelude::*;
use tokio::runtime::Runtime as Tokio;

use crate::peers::kameo::Relays;
use crate::ring::{LONG, launch};
use crate::stage::Stage;
use crate::timing::once;

/// How many actors talk.
pub fn crowds(size: Size) -> [u32; 2] {
    size.pick([1 << 8, 1 << 11], [1 << 17, 1 << 20])
}

/// The `times` of a token that only asks.
const ASK: u32 = u32::MAX;

/// What is handed on.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// How many times more.
    pub times: u32,
    /// Where to, scrambled.
    pub word: u32,
}

/// What an actor has seen.
#[derive(VmType, Clone, Copy, Debug, Default)]
pub struct Relay {
    tokens: u32,
    sum: u32,
}

/// The same as an answer.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    tokens: u32,
    sum: u32,
}

/// The actor that comes after a word, and the word that it gets.
#[routine(callee)]
pub fn handed_on(word: u32, actors: u32) -> (u32, u32) {
    let next = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (((next as u64 * actors as u64) >> 32) as u32, next)
}

impl Seen {
    /// The words of it.
    pub fn words(self) -> [u32; 2] {
        [self.tokens, self.sum]
    }
}

/// Hands a token on.
#[ring_kernel(sends = 1)]
fn relay(own: &mut Relay, token: Token, ctx: &mut Ring) -> Option<Seen> {
    if token.times == ASK {
        return Some(Seen {
            tokens: own.tokens,
            sum: own.sum,
        });
    }
    own.tokens += 1;
    own.sum = own.sum.wrapping_add(token.word);
    if token.times > 0 {
        let (to, word) = handed_on(token.word, ctx.actors());
        let times = token.times - 1;
        ctx.send(to, Token { times, word });
    }
    None
}

/// Hands a token on to the other kernel.
#[ring_kernel(sends = 1, forwards = 1)]
fn linked_relay(own: &mut Relay, token: Token, ctx: &mut Ring<Token>) -> Option<Seen> {
    if token.times == ASK {
        return Some(Seen {
            tokens: own.tokens,
            sum: own.sum,
        });
    }
    own.tokens += 1;
    own.sum = own.sum.wrapping_add(token.word);
    if token.times > 0 {
        let (to, word) = handed_on(token.word, ctx.actors());
        let times = token.times - 1;
        ctx.forward(to, Token { times, word });
    }
    None
}

impl Relay {
    /// What the kernel does, for actors that are tasks.
    pub fn take(&mut self, token: Token, actors: u32) -> Option<(u32, Token)> {
        self.tokens += 1;
        self.sum = self.sum.wrapping_add(token.word);
        let (to, word) = handed_on(token.word, actors);
        let times = token.times.checked_sub(1)?;
        Some((to, Token { times, word }))
    }

    /// What it has seen.
    pub fn seen(self) -> Seen {
        Seen {
            tokens: self.tokens,
            sum: self.sum,
        }
    }
}

/// The tokens of the beginning: one for each actor.
pub fn tokens(actors: u32, times: u32) -> impl Iterator<Item = (u32, Token)> {
    (0..actors).map(move |actor| {
        let word = actor.wrapping_mul(0x9e37_79b9);
        (actor, Token { times, word })
    })
}

/// Measures messages a second between actors, and compares what they have seen with plain Rust.
pub struct Talk<'t> {
    stage: &'t Stage,
    /// What actors see, by their number and how many times tokens are handed on.
    known: BTreeMap<(u32, u32), Vec<Seen>>,
}

impl<'t> Talk<'t> {
    /// Nothing measured yet.
    pub fn new(stage: &'t Stage) -> Talk<'t> {
        Talk {
            stage,
            known: BTreeMap::new(),
        }
    }

    /// How many times tokens are handed on, given how often at the full size.
    fn times(&self, full: u32) -> u32 {
        self.stage.pick(7, full)
    }

    /// The messages a second of an engine.
    ///
    /// # Errors
    ///
    /// When the device fails, or actors have seen something else than they should.
    pub fn gpuvm(&mut self, engine: Engine, actors: u32, full: u32) -> Result<f64> {
        let times = self.times(full);
        self.measure(actors, times, |stage| {
            let kernel = launch(stage, "relay", engine, actors)?;
            kernel.blocking_send_all(tokens(actors, times))?;
            let (seconds, ()) = once(|| {
                kernel.blocking_activate()?;
                Ok(kernel.blocking_settle()?)
            })?;
            Ok((seconds, ask_all(&kernel, actors)?))
        })
    }

    /// The messages a second of an engine between two kernels of so many actors each, which both begin with all tokens. So each sees what one
    /// alone would.
    ///
    /// # Errors
    ///
    /// As for one kernel.
    pub fn linked(&mut self, engine: Engine, actors: u32, full: u32) -> Result<f64> {
        let times = self.times(full);
        let rate = self.measure(actors, times, |stage| {
            let launch = || launch(stage, "linked_relay", engine, actors);
            let (one, other) = (launch()?, launch()?);
            one.link(&other)?;
            other.link(&one)?;
            for kernel in [&one, &other] {
                kernel.blocking_send_all(tokens(actors, times))?;
            }
            let (seconds, ()) = once(|| {
                one.blocking_activate()?;
                other.blocking_activate()?;
                let each = u64::from(actors) * u64::from(times + 1);
                for kernel in [&one, &other].into_iter().cycle() {
                    kernel.blocking_settle()?;
                    let handled = one.blocking_metrics()?.processed + other.blocking_metrics()?.processed;
                    if handled == 2 * each {
                        break;
                    }
                }
                Ok(())
            })?;
            let seen = ask_all(&one, actors)?;
            ensure!(
                seen == ask_all(&other, actors)?,
                "the kernels have seen different tokens"
            );
            Ok((seconds, seen))
        })?;
        Ok(2.0 * rate)
    }

    /// The messages a second of kameo.
    ///
    /// # Errors
    ///
    /// As for an engine.
    pub fn kameo(&mut self, tokio: &Tokio, actors: u32, full: u32) -> Result<f64> {
        let times = self.times(full);
        self.measure(actors, times, |_| {
            let relays = Relays::open(tokio, actors, times);
            let (seconds, ()) = once(|| relays.hand_on(tokens(actors, times)))?;
            Ok((seconds, relays.seen()?))
        })
    }

    fn measure(
        &mut self,
        actors: u32,
        times: u32,
        mut run: impl FnMut(&Stage) -> Result<(f64, Vec<Seen>)>,
    ) -> Result<f64> {
        let judge = self
            .known
            .entry((actors, times))
            .or_insert_with(|| expected(actors, times));
        let (seconds, ()) = self.stage.timing.warm_by(|| {
            let (seconds, seen) = run(self.stage)?;
            ensure!(seen == *judge, "actors have seen something else");
            Ok((seconds, ()))
        })?;
        Ok(f64::from(actors) * f64::from(times + 1) / seconds)
    }
}

/// What every actor says that it has seen.
///
/// # Errors
///
/// When the kernel has failed, or an answer does not come.
pub fn ask_all(kernel: &KernelHandle, actors: u32) -> Result<Vec<Seen>> {
    let ask = Token { times: ASK, word: 0 };
    kernel.blocking_send_all((0..actors).map(|actor| (actor, ask)))?;
    let mut answers: Vec<(u32, Seen)> = Vec::new();
    while answers.len() < actors as usize {
        kernel.blocking_receive_many(&mut answers, LONG)?;
    }
    answers.sort_by_key(|(actor, _)| *actor);
    Ok(answers.into_iter().map(|(_, seen)| seen).collect())
}

/// What actors see, token by token.
fn expected(actors: u32, times: u32) -> Vec<Seen> {
    let seen: Arc<[[AtomicU32; 2]]> = (0..actors).map(|_| Default::default()).collect();
    let begin: Vec<_> = tokens(actors, times).collect();
    begin.into_par_iter().for_each(|(mut actor, token)| {
        let mut word = token.word;
        for _ in 0..=times {
            let [tokens, sum] = &seen[actor as usize];
            tokens.fetch_add(1, Ordering::Relaxed);
            sum.fetch_add(word, Ordering::Relaxed);
            (actor, word) = handed_on(word, actors);
        }
    });
    let own = |[tokens, sum]: &[AtomicU32; 2]| Seen {
        tokens: tokens.load(Ordering::Relaxed),
        sum: sum.load(Ordering::Relaxed),
    };
    seen.iter().map(own).collect()
}
