//! Ring kernels whose actors live on ranks: each rank launches one of its own, and what its actors forward goes to whichever rank the actor is on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use gpuvm::KernelHandle;
use gpuvm::ring::Carrier;
use gpuvm_engine::Ranks;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};

use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::world::{World, rank, world};

/// So long a message may wait for the thread that brings it, if there was none for a while.
const NAP: Duration = Duration::from_micros(50);
/// So often the thread looks for messages before it sleeps.
const LOOKS: u32 = 1000;
/// Words before those of the messages: how many there are, and a time stamp.
const HEAD: usize = 3;

/// What brings the messages of a ring kernel's actors from rank to rank, until it is dropped, which waits for nobody: [settle](RingLink::settle) first.
pub struct RingLink {
    shared: Arc<Shared>,
    world: Arc<World>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    kernel: KernelHandle,
    /// Actors of each rank.
    actors: u32,
    own: usize,
    /// The tag of its messages.
    tag: i32,
    /// What is to go to each rank.
    out: Mutex<Vec<Parcel>>,
    /// Messages that actors here have forwarded, and that came to them.
    sent: AtomicU64,
    received: AtomicU64,
    is_over: AtomicBool,
}

/// Messages for the actors of a rank.
#[derive(Clone, Default)]
struct Parcel {
    to: Vec<u32>,
    words: Vec<u32>,
    stamp: u64,
}

impl Runtime {
    /// Links a ring kernel that all ranks have launched alike, each with as many actors, on its [own devices](gpuvm::Runtime::on_rank), while it is not active. Actor `a` of rank `r` is number
    /// `r * kernel.actors() + a` of all, and that is whom its actors forward to: `ctx.forward(number, message)`, with a context `&mut Ring<M>` of the message that they understand. Messages from one actor to
    /// another arrive in their order. All ranks have to link.
    ///
    /// # Errors
    ///
    /// [`gpuvm::Error::Ring`] if the kernel is active, is linked already, or its actors forward something else than they understand; [`Error::Actors`] if ranks have different numbers of actors.
    ///
    /// ```no_run
    /// # use gpuvm::prelude::*;
    /// #[derive(RingMessage, Clone, Copy)]
    /// struct Token {
    ///     at: u32,
    ///     left: u32,
    /// }
    ///
    /// /// Passes a token on to the next of a million actors, wherever that is.
    /// #[ring_kernel(id = "passer", forwards = 1)]
    /// fn passer(seen: &mut u32, token: Token, ctx: &mut Ring<Token>) {
    ///     *seen += 1;
    ///     if token.left > 0 {
    ///         let next = (token.at + 1) % 1_000_000;
    ///         ctx.forward(next, Token { at: next, left: token.left - 1 });
    ///     }
    /// }
    ///
    /// # fn example(runtime: &gpuvm_mpi::Runtime) -> Result<(), Box<dyn std::error::Error>> {
    /// let actors = 1_000_000 / runtime.size() as u32;
    /// let passers = runtime.blocking_launch_ring("passer", RingOptions { actors, ..RingOptions::default() })?;
    /// let link = runtime.link_ring(&passers)?;
    /// passers.blocking_activate()?;
    /// if runtime.is_first() {
    ///     passers.blocking_send(0, Token { at: 0, left: 5_000_000 })?;
    /// }
    /// link.settle()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn link_ring(&self, kernel: &KernelHandle) -> Result<RingLink> {
        let world = Arc::clone(self.world());
        let actors = kernel.actors();
        let all = world.gather(&[actors]).map_err(gpuvm::Error::from)?;
        if let Some(rank) = all.iter().position(|words| **words != [actors]) {
            return Err(Error::Actors {
                kernel: kernel.id().to_string(),
                actors,
                rank,
            });
        }
        let shared = Arc::new(Shared {
            kernel: kernel.clone(),
            actors,
            own: world.own(),
            tag: world.next_link(),
            out: Mutex::new(vec![Parcel::default(); world.count()]),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        });
        kernel.link_elsewhere(Arc::clone(&shared) as Arc<dyn Carrier>)?;
        let carried = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("gpuvm-link".to_string());
        let thread = thread.spawn(move || carried.run()).map_err(|error| {
            world.fail(&format!("there can be no thread that carries messages: {error}"));
            Error::Thread(error)
        })?;
        Ok(RingLink {
            shared,
            world,
            thread: Some(thread),
        })
    }
}

impl RingLink {
    /// Waits until every message is handled on all ranks, those too that actors have sent each other meanwhile. All ranks have to come here.
    ///
    /// Ranks count what was sent and what has arrived until two counts in a row are the same, and say as many of either (Mattern, "Algorithms for distributed termination detection", 1987).
    ///
    /// # Errors
    ///
    /// As [`KernelHandle::settle`], if it is an error on this rank.
    pub fn settle(&self) -> Result<()> {
        let mut before = None;
        loop {
            self.shared.kernel.blocking_settle()?;
            let counts = [&self.shared.sent, &self.shared.received].map(|count| count.load(Ordering::SeqCst));
            let words: Vec<u32> = counts
                .iter()
                .flat_map(|count| [*count as u32, (*count >> 32) as u32])
                .collect();
            let all = self.world.gather(&words).map_err(gpuvm::Error::from)?;
            let sum = |place: usize| -> u64 {
                let of = |words: &[u32]| u64::from(words[2 * place]) | u64::from(words[2 * place + 1]) << 32;
                all.iter().map(|words| of(words)).sum()
            };
            let now = (sum(0), sum(1));
            if now.0 == now.1 && before == Some(now) {
                return Ok(());
            }
            before = Some(now);
        }
    }
}

impl Drop for RingLink {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}

impl Carrier for Shared {
    fn carry(&self, to: &[u32], words: &[u32], stamp: u64) {
        let size = words.len() / to.len().max(1);
        let mut out = self.out();
        let last = out.len() - 1;
        for (place, actor) in to.iter().enumerate() {
            // Whom there is not is a dead letter of the last rank.
            let rank = ((actor / self.actors.max(1)) as usize).min(last);
            let parcel = &mut out[rank];
            parcel.to.push(actor - rank as u32 * self.actors);
            parcel.words.extend_from_slice(&words[place * size..(place + 1) * size]);
            parcel.stamp = parcel.stamp.max(stamp);
        }
        self.sent.fetch_add(to.len() as u64, Ordering::SeqCst);
    }
}

impl Shared {
    fn out(&self) -> MutexGuard<'_, Vec<Parcel>> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings messages to and fro until it is over.
    fn run(&self) {
        let mut idle = 0;
        while !self.is_over.load(Ordering::SeqCst) {
            let is_busy = self.send_all() | self.receive_all();
            idle = if is_busy { 0 } else { idle + 1 };
            if idle > LOOKS {
                std::thread::sleep(NAP);
            }
        }
    }

    /// Sends what there is; whether there was anything.
    fn send_all(&self) -> bool {
        let parcels: Vec<Parcel> = self.out().iter_mut().map(std::mem::take).collect();
        let mut any = false;
        for (to, parcel) in parcels
            .into_iter()
            .enumerate()
            .filter(|(_, parcel)| !parcel.to.is_empty())
        {
            any = true;
            if to == self.own {
                self.take(parcel);
                continue;
            }
            let mut words = Vec::with_capacity(HEAD + parcel.to.len() + parcel.words.len());
            words.extend([parcel.to.len() as u32, parcel.stamp as u32, (parcel.stamp >> 32) as u32]);
            words.extend(&parcel.to);
            words.extend(&parcel.words);
            self.send(to, &words);
        }
        any
    }

    /// Sends words, and takes what comes meanwhile: the other rank may be at sending as well.
    fn send(&self, to: usize, words: &[u32]) {
        mpi::request::scope(|scope| {
            let world = world();
            let mut request = world
                .process_at_rank(rank(to))
                .immediate_send_with_tag(scope, words, self.tag);
            while let Err(again) = request.test() {
                request = again;
                self.receive_all();
            }
        });
    }

    /// Takes what has come; whether anything has.
    fn receive_all(&self) -> bool {
        let world = world();
        let mut any = false;
        while let Some(message) = world.any_process().immediate_matched_probe_with_tag(self.tag) {
            let (words, _) = message.matched_receive_vec::<u32>();
            any = true;
            let [count, low, high, rest @ ..] = &words[..] else {
                continue;
            };
            if let Some((to, words)) = rest.split_at_checked(*count as usize) {
                self.take(Parcel {
                    to: to.to_vec(),
                    words: words.to_vec(),
                    stamp: u64::from(*low) | u64::from(*high) << 32,
                });
            }
        }
        any
    }

    /// Gives messages to the actors here.
    fn take(&self, parcel: Parcel) {
        let Parcel { to, words, stamp } = parcel;
        let count = to.len() as u64;
        // A kernel that is over takes none, and nobody asks for what it has not.
        let _ = self.kernel.take_carried(to, words, stamp);
        self.received.fetch_add(count, Ordering::SeqCst);
    }
}

impl std::fmt::Debug for RingLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RingLink")
            .field("kernel", &self.shared.kernel.id())
            .field("actors", &self.shared.actors)
            .finish_non_exhaustive()
    }
}
