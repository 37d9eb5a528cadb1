//! The first rank hands VMs out to whoever is free: it has a thread that answers those who ask, as long as a launch is on its way whose VMs are handed out.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};

use crate::world::{tag, world};

/// So long nobody may have to wait for an answer.
const NAP: Duration = Duration::from_micros(50);

/// What the first rank has.
pub(crate) struct Desk {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

struct Shared {
    ranks: usize,
    state: Mutex<State>,
    /// A launch has begun, or there will be none.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    launches: BTreeMap<u64, HandedOut>,
    is_over: bool,
}

/// The VMs of a launch.
struct HandedOut {
    next: u32,
    all: u32,
    /// Ranks that do not know yet that there are no more.
    asking: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next VMs of a launch of so many, for the first rank itself or for one that has asked.
    fn take(&self, launch: u64, all: u32) -> Range<u32> {
        let mut state = self.lock();
        let handed_out = state.launches.entry(launch).or_insert(HandedOut {
            next: 0,
            all,
            asking: self.ranks,
        });
        let start = handed_out.next;
        let size = gpuvm_engine::handed_out(handed_out.all - start, handed_out.all, self.ranks);
        handed_out.next += size;
        if size == 0 {
            handed_out.asking -= 1;
            if handed_out.asking == 0 {
                state.launches.remove(&launch);
            }
        }
        self.changed.notify_all();
        start..start + size
    }

    /// Answers ranks that ask, until there will be none.
    fn serve(&self) {
        let world = world();
        loop {
            {
                let mut state = self.lock();
                while state.launches.is_empty() && !state.is_over {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                if state.is_over {
                    return;
                }
            }
            let asked = world.any_process().immediate_matched_probe_with_tag(tag::ASKS);
            let Some(asked) = asked else {
                std::thread::sleep(NAP);
                continue;
            };
            let (words, status) = asked.matched_receive_vec::<u64>();
            if let [launch, all] = words[..] {
                let Range { start, end } = self.take(launch, all as u32);
                let to = world.process_at_rank(status.source_rank());
                to.send_with_tag(&[start, end][..], tag::WORK);
            }
        }
    }
}

impl Desk {
    /// A desk for so many ranks.
    pub fn open(ranks: usize) -> std::io::Result<Desk> {
        let shared = Arc::new(Shared {
            ranks,
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("gpuvm-desk".to_string());
        Ok(Desk {
            thread: thread.spawn(move || served.serve())?,
            shared,
        })
    }

    /// The next VMs of a launch of so many, for the first rank itself.
    pub fn take(&self, launch: u64, vms: u32) -> Range<u32> {
        self.shared.take(launch, vms)
    }

    /// Ends it.
    pub fn close(self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        // It has nothing to say.
        let _ = self.thread.join();
    }
}
