//! MPI's world as gpuvm has [`Ranks`].

use std::io::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use gpuvm_engine::{Error as EngineError, Ranks, Words};
use mpi::Rank;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::request::{Request, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};

use crate::desk::Desk;
use crate::error::{Error, Result};
use crate::patience::Patience;
use crate::watch::Watch;

/// What messages are about, as MPI tells them apart.
pub(crate) mod tag {
    use mpi::Tag;

    /// Words of a column that move.
    pub const COLUMN: Tag = 1;
    /// A rank takes part in nothing any more.
    pub const LEAVES: Tag = 2;
    /// A rank asks for work.
    pub const ASKS: Tag = 3;
    /// Work for a rank.
    pub const WORK: Tag = 4;
    /// The first rank has failed, and has said why.
    pub const FAILED: Tag = 5;
    /// Messages of actors, of the first link; the next ones have the next tags.
    pub const LINKS: Tag = 16;
}

/// Words that all ranks give each other first: how many there are, and the first of them.
const HEAD: usize = 64;
/// Words before those in a head.
const COUNT: usize = 2;
/// Words of one message: MPI counts with 31 bits.
const MOST: usize = 1 << 30;
/// A rank that has left has sent what it owes long before.
const OWED: Duration = Duration::from_secs(3);

/// A thread that sends words to ranks, and what it has to.
struct Sending {
    queue: Sender<(usize, Words)>,
    thread: JoinHandle<()>,
}

/// This process among those that MPI has started.
pub(crate) struct World {
    own: usize,
    count: usize,
    /// Sends words while this rank goes on.
    sender: Mutex<Option<Sending>>,
    /// How many links there were.
    links: AtomicI32,
    /// Hands VMs out, on the first rank once it has.
    desk: Mutex<Option<Desk>>,
    /// Misses those who die, until all is done.
    watch: Option<Watch>,
    /// MPI, until all is done.
    universe: Option<Universe>,
}

/// MPI's communicator of all ranks.
pub(crate) fn world() -> SimpleCommunicator {
    SimpleCommunicator::world()
}

/// A rank as MPI numbers it.
pub(crate) fn rank(number: usize) -> Rank {
    // There are as many as MPI has numbers for.
    Rank::try_from(number).unwrap_or(Rank::MAX)
}

/// So long what a rank says takes to its reader, before all ranks are killed.
const TOLD: Duration = Duration::from_millis(200);

/// What a wait is for.
enum Awaited {
    /// All other ranks.
    All,
    /// One that sends to this one, or takes what this one sends.
    One(usize),
}

impl World {
    /// Starts MPI.
    ///
    /// # Errors
    ///
    /// [`Error::Started`] if it was started before in this process, and [`Error::Threads`] if this MPI can't be called from several threads.
    pub fn start() -> Result<World> {
        let wanted = mpi::Threading::Multiple;
        let (universe, threading) = mpi::initialize_with_threading(wanted).ok_or(Error::Started)?;
        if threading != wanted {
            return Err(Error::Threads { library: library() });
        }
        let world = world();
        let count = world.size().unsigned_abs() as usize;
        if let (1, Some(ranks)) = (count, started()) {
            return Err(Error::OtherMpi {
                ranks,
                library: library(),
            });
        }
        let mut world = World {
            own: world.rank().unsigned_abs() as usize,
            count,
            sender: Mutex::default(),
            links: AtomicI32::new(0),
            desk: Mutex::default(),
            watch: None,
            universe: Some(universe),
        };
        world.watch = Some(Watch::begin(&world));
        Ok(world)
    }

    /// Waits for a request.
    fn finish<'a, D: ?Sized, S: Scope<'a>>(&self, awaited: &Awaited, mut request: Request<'a, D, S>) {
        let mut patience = Patience::new();
        let mut left = None;
        while let Err(again) = request.test() {
            request = again;
            patience.wait();
            if patience.is_long() && left.is_none() {
                left = self.left(awaited).map(|rank| (rank, patience.waited()));
            }
            if let Some((rank, since)) = left
                && patience.waited() - since > OWED
            {
                self.abort(&format!(
                    "rank {rank} has ended, and this one waits for it: all ranks have to make the same launches in the same order"
                ));
            }
        }
    }

    /// A rank that is waited for and has left.
    fn left(&self, awaited: &Awaited) -> Option<usize> {
        let world = world();
        match awaited {
            Awaited::All => {
                let status = world.any_process().immediate_probe_with_tag(tag::LEAVES)?;
                Some(status.source_rank().unsigned_abs() as usize)
            }
            Awaited::One(from) => {
                let from_rank = world.process_at_rank(rank(*from));
                from_rank.immediate_probe_with_tag(tag::LEAVES).map(|_| *from)
            }
        }
    }

    /// Tells the others that this rank, which is the first, has failed and said why.
    pub fn say_failed(&self) {
        let world = world();
        for to in 1..self.count {
            world
                .process_at_rank(rank(to))
                .send_with_tag(&[0u32; 0][..], tag::FAILED);
        }
    }

    /// Whether the first rank has said so.
    pub fn has_first_failed(&self) -> bool {
        let world = world();
        let first = world.process_at_rank(rank(0));
        let is_there = first.immediate_probe_with_tag(tag::FAILED).is_some();
        if is_there {
            first.receive_into_with_tag(&mut [0u32; 0][..], tag::FAILED);
        }
        is_there
    }

    /// The tag of another link's messages, the same on all ranks. MPI has 32767 tags at least.
    pub fn next_link(&self) -> i32 {
        tag::LINKS + self.links.fetch_add(1, Ordering::Relaxed) % 32_000
    }

    /// Ends all ranks.
    pub fn abort(&self, reason: &str) -> ! {
        end_all(&format!(
            "rank {} of {} on {}: {reason}",
            self.own,
            self.count,
            machine()
        ))
    }

    /// Gives all ranks as many words as each has.
    fn exchange_equal(&self, own: &[u32], all: &mut [u32]) {
        scope(|scope| {
            let request = world().immediate_all_gather_into(scope, own, all);
            self.finish(&Awaited::All, request);
        });
    }

    /// Gives all ranks so many words of each.
    fn exchange(&self, own: &[u32], counts: &[usize]) -> Vec<Words> {
        if counts.iter().sum::<usize>() >= MOST {
            let each = counts.iter().enumerate().map(|(from, count)| {
                let mut words = match from == self.own {
                    true => own.to_vec(),
                    false => vec![0; *count],
                };
                self.share(from, &mut words);
                words.into()
            });
            return each.collect();
        }
        let small = |count: &usize| i32::try_from(*count).unwrap_or(i32::MAX);
        let sizes: Vec<i32> = counts.iter().map(small).collect();
        let starts: Vec<i32> = sizes
            .iter()
            .scan(0, |end, size| {
                let start = *end;
                *end += size;
                Some(start)
            })
            .collect();
        let mut all = vec![0u32; counts.iter().sum()];
        {
            let mut parts = PartitionMut::new(&mut all[..], sizes, &starts[..]);
            scope(|scope| {
                let request = world().immediate_all_gather_varcount_into(scope, own, &mut parts);
                self.finish(&Awaited::All, request);
            });
        }
        let mut rest = &all[..];
        let part = |count: &usize| {
            let (own, behind) = rest.split_at(*count);
            rest = behind;
            Words::from(own.to_vec())
        };
        counts.iter().map(part).collect()
    }

    /// Gives all ranks one rank's words.
    fn share(&self, from: usize, words: &mut [u32]) {
        for words in words.chunks_mut(MOST) {
            scope(|scope| {
                let world = world();
                let root = world.process_at_rank(rank(from));
                let request = root.immediate_broadcast_into(scope, words);
                self.finish(&Awaited::All, request);
            });
        }
    }
}

/// How many ranks were started, if it is more than one, as those say who start them.
fn started() -> Option<usize> {
    // Open MPI's `mpirun`, that of MPICH and Intel MPI, and Slurm's `srun`.
    let names = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];
    let number = |name: &&str| std::env::var(name).ok()?.parse().ok();
    names.iter().filter_map(number).find(|ranks| *ranks > 1)
}

/// The version of MPI that this program is built with.
pub(crate) fn library() -> String {
    let version = mpi::environment::library_version().unwrap_or_default();
    version
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end_matches('\0')
        .to_string()
}

/// There is no thread that does this.
fn no_thread(what: &str, error: &std::io::Error) -> EngineError {
    EngineError::Device {
        reason: format!("there can be no thread that {what}: {error}"),
    }
}

/// Says why, and ends all ranks.
pub(crate) fn end_all(reason: &str) -> ! {
    // In one piece: it may be about to be killed.
    let said = format!("gpuvm: {reason}\n");
    let _ = std::io::stderr().write_all(said.as_bytes());
    std::thread::sleep(TOLD);
    world().abort(1)
}

/// The name of this rank's machine.
pub(crate) fn machine() -> String {
    let name = mpi::environment::processor_name().unwrap_or_default();
    name.trim_end_matches('\0').to_string()
}

/// Sends words to a rank, and waits until they are on their way.
fn send(to: usize, words: &[u32]) {
    for words in words.chunks(MOST) {
        scope(|scope| {
            let world = world();
            let mut request = world
                .process_at_rank(rank(to))
                .immediate_send_with_tag(scope, words, tag::COLUMN);
            let mut patience = Patience::new();
            while let Err(again) = request.test() {
                request = again;
                patience.wait();
            }
        });
    }
}

impl Ranks for World {
    fn count(&self) -> usize {
        self.count
    }

    fn own(&self) -> usize {
        self.own
    }

    fn gather(&self, own: &[u32]) -> gpuvm_engine::Result<Vec<Words>> {
        let mut head = [0; HEAD];
        let short = &own[..own.len().min(HEAD - COUNT)];
        head[..COUNT].copy_from_slice(&[own.len() as u32, (own.len() as u64 >> 32) as u32]);
        head[COUNT..COUNT + short.len()].copy_from_slice(short);
        let mut heads = vec![0; HEAD * self.count];
        self.exchange_equal(&head, &mut heads);
        let counts = heads
            .chunks_exact(HEAD)
            .map(|head| (u64::from(head[0]) | u64::from(head[1]) << 32) as usize);
        let counts: Vec<usize> = counts.collect();
        if counts.iter().any(|count| *count > HEAD - COUNT) {
            return Ok(self.exchange(own, &counts));
        }
        let heads = heads.chunks_exact(HEAD).zip(&counts);
        Ok(heads
            .map(|(head, count)| head[COUNT..COUNT + count].to_vec().into())
            .collect())
    }

    fn broadcast(&self, from: usize, words: &mut [u32]) -> gpuvm_engine::Result<()> {
        self.share(from, words);
        Ok(())
    }

    fn send(&self, to: usize, words: Words) -> gpuvm_engine::Result<()> {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let Sending { queue, .. } = match &mut *sender {
            Some(known) => known,
            none => {
                let (queue, work) = channel::<(usize, Words)>();
                let body = move || work.into_iter().for_each(|(to, words)| send(to, &words));
                let thread = std::thread::Builder::new().name("gpuvm-sends".to_string()).spawn(body);
                let thread = thread.map_err(|error| no_thread("sends to other ranks", &error))?;
                none.insert(Sending { queue, thread })
            }
        };
        queue.send((to, words)).map_err(|_| EngineError::Device {
            reason: "the thread that sends to other ranks has ended".to_string(),
        })
    }

    fn receive(&self, from: usize, words: &mut [u32]) -> gpuvm_engine::Result<()> {
        for words in words.chunks_mut(MOST) {
            scope(|scope| {
                let world = world();
                let source = world.process_at_rank(rank(from));
                let request = source.immediate_receive_into_with_tag(scope, words, tag::COLUMN);
                self.finish(&Awaited::One(from), request);
            });
        }
        Ok(())
    }

    fn take(&self, launch: u64, vms: u32) -> gpuvm_engine::Result<Range<u32>> {
        if self.own == 0 {
            let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
            let desk = match &mut *desk {
                Some(open) => open,
                none => none.insert(Desk::open(self.count).map_err(|error| no_thread("hands out VMs", &error))?),
            };
            return Ok(desk.take(launch, vms));
        }
        let mut range = [0; 2];
        scope(|scope| {
            let world = world();
            let first = world.process_at_rank(rank(0));
            first.send_with_tag(&[launch, u64::from(vms)][..], tag::ASKS);
            let request = first.immediate_receive_into_with_tag(scope, &mut range[..], tag::WORK);
            self.finish(&Awaited::One(0), request);
        });
        Ok(range[0]..range[1])
    }

    fn fail(&self, reason: &str) {
        self.abort(reason);
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What it says has been said.
            self.abort("it has panicked, so that all ranks end");
        }
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Sending { queue, thread }) = sender.take() {
            drop(queue);
            // What it could not send is said by who waits for it.
            let _ = thread.join();
        }
        let desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner).take();
        desk.into_iter().for_each(Desk::close);
        let world = world();
        let others = || (0..self.count).filter(|other| *other != self.own);
        let nothing: [u32; 0] = [];
        scope(|scope| {
            let leave = |to| {
                world
                    .process_at_rank(rank(to))
                    .immediate_send_with_tag(scope, &nothing[..], tag::LEAVES)
            };
            let sent: Vec<_> = others().map(leave).collect();
            for from in others() {
                let mut none: [u32; 0] = [];
                let mut patience = Patience::new();
                let source = world.process_at_rank(rank(from));
                while source.immediate_probe_with_tag(tag::LEAVES).is_none() {
                    patience.wait();
                }
                source.receive_into_with_tag(&mut none[..], tag::LEAVES);
            }
            sent.into_iter().for_each(Request::wait_without_status);
        });
        if let Some(watch) = self.watch.take() {
            watch.end();
        }
        drop(self.universe.take());
    }
}
