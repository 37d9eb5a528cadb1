//! A [`Job`]: what an engine is given to run, and where that finds its words.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::{ParamSlot, Program};

use super::Region;

/// One batch of VMs to run: the VMs `first_vm .. first_vm + vms` of a launch of `vm_count`.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to run. The same `Arc` comes with every launch of one routine, so an engine may keep what it made of it.
    pub program: Arc<Program>,
    /// The id of the first VM; `vmid` gives this and the numbers after it.
    pub first_vm: u32,
    /// How many VMs to run, at least 1.
    pub vms: u32,
    /// How many VMs the whole launch has, as `vmcount` gives it.
    pub vm_count: u32,
    /// One slot a parameter of the program, and one more for the result.
    pub slots: Vec<Slot>,
    /// Words of the arena: columns, slices and results that do not stay on the device.
    pub arena_words: usize,
    /// The atomic words. Those that come from regions may be missing at the end.
    pub atomics: Vec<u32>,
    /// The ranges of the arena that the VMs may write, ascending and apart.
    pub changed: Vec<Range<usize>>,
    /// Regions that the atomics, from the given word on, are filled from before the first step and copied back to after the last.
    pub atomic_regions: Vec<(usize, Region)>,
    /// Whether somebody may look at its VMs, save them and let them go on elsewhere. They hold addresses in the arena, which are then to mean the same wherever
    /// a part of the job runs.
    pub is_looked_at: bool,
    /// Whether nobody asks after any of its VMs but the first of those that trap. An engine need not keep the others' states then.
    pub only_first_trap: bool,
    /// Whether [all that have trapped](super::Finished::trapped) are to be told at the end. Engines keep their states then: it excludes `only_first_trap`, and goes with
    /// `is_looked_at`.
    pub all_traps: bool,
    /// How many times in a row to run all VMs from the entry on, at least 1.
    pub steps: u32,
    /// What to copy before each step.
    pub copies: Vec<Copy>,
    /// Of each slot, which of the entries that all VMs see each of them touches, if that is known; nothing of slots that are not named. A job that is cut needs no
    /// others where its VMs run.
    pub reach: Arc<[Option<Reach>]>,
    /// In a [`Sequence`](super::Sequence): each VM reads of what the job before has written only what so many VMs next to each other did, VM v what VMs
    /// `v * n` to `v * n + n - 1` did, and nothing that the job itself writes. So an engine may let it follow as soon as these are done,
    /// and once more if others of the job before turn out to need another dispatch. `None` if that is not known.
    pub neighbours: Option<u32>,
    /// In a [`Sequence`](super::Sequence): what becomes of what the VMs give, their elements, in place of being stored. `None` lets each store its own.
    pub tiles: Option<Tiles>,
}

/// What becomes of the elements of a job, which a device goes through tile by tile. Each VM has one: what the program stores to one of its launch
/// parameters, a record. There is no such record in memory; the parameter is where that lies which comes of the elements.
#[derive(Clone, Debug)]
pub enum Tiles {
    /// They are scanned in the order of [`Then::Scan`](gpuvm_core::kernel::Then::Scan). The record is the parameter before the last, and the last
    /// is a column of the same type with room for [`Tiles::room`] values. The program stores nothing else, and may run more than once.
    /// Its floats are as exact as the operator's, if it computes any.
    Scan {
        /// A program that stores to its third parameter, a record, what an operator makes of its first two, values.
        op: Arc<Program>,
        /// Elements of a chunk.
        chunk: u32,
    },
    /// Bits tell which are not 0, in a layout that [`Rule::Marked`](super::Rule::Marked) knows, in [`Tiles::room`] words. The record is the last
    /// parameter. Its other stores are made, each VM's own.
    Marks,
}

impl Tiles {
    /// Elements of a tile.
    pub const TILE: u32 = 1 << 12;

    /// How many tiles each level has: those of so many elements, then those of what the tiles of a level come to, until there is one.
    pub fn levels(elements: u32) -> impl Iterator<Item = u32> {
        let tiles = |elements: u32| elements.div_ceil(Tiles::TILE);
        std::iter::successors(Some(tiles(elements)), move |&all| (all > 1).then(|| tiles(all)))
    }

    /// How much room is needed for what so many elements come to on the way.
    pub fn room(&self, elements: u32) -> u64 {
        let (each, levels) = match self {
            Tiles::Scan { chunk, .. } => (1 + 2 * chunk, usize::MAX),
            Tiles::Marks => (Tiles::MARKS + 1, 1),
        };
        let all = Tiles::levels(elements).take(levels);
        all.map(|tiles| u64::from(tiles) * u64::from(each)).sum()
    }

    /// Words of the marks of a tile. Behind those of all stands how many marks each has.
    pub const MARKS: u32 = 1 << 8;

    /// Whether an element is [marked](Tiles::Marks): word w of a tile has elements w, w + [`MARKS`](Tiles::MARKS) and so on, from the lowest bit on.
    pub fn is_marked(marks: &[u32], element: usize) -> bool {
        let [tile, words] = [Tiles::TILE, Tiles::MARKS].map(|all| all as usize);
        let within = element % tile;
        marks[element / tile * words + within % words] >> (within / words) & 1 == 1
    }
}

impl Job {
    /// A job of so many VMs that are all of a launch, each running once on what these slots name, with no words of its own.
    pub fn new(program: Arc<Program>, vms: u32, slots: Vec<Slot>) -> Job {
        Job {
            program,
            first_vm: 0,
            vms,
            vm_count: vms,
            slots,
            arena_words: 0,
            atomics: Vec::new(),
            changed: Vec::new(),
            atomic_regions: Vec::new(),
            is_looked_at: false,
            only_first_trap: false,
            all_traps: false,
            steps: 1,
            copies: Vec::new(),
            reach: Arc::from([]),
            neighbours: None,
            tiles: None,
        }
    }

    /// How many atomic words there are.
    pub fn atomic_words(&self) -> usize {
        atomic_words(&self.atomics, &self.atomic_regions)
    }
}

/// How many words some atomics have together with those that regions have from places on.
pub fn atomic_words(atomics: &[u32], regions: &[(usize, Region)]) -> usize {
    let end = |(at, region): &(usize, Region)| at + region.words as usize;
    let from_regions = regions.iter().map(end).max();
    atomics.len().max(from_regions.unwrap_or_default())
}

/// Which entries of a column VM v touches: those from `v * each - before` to `v * each + each - 1`, as far as they are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Entries of each VM.
    pub each: u32,
    /// How many before those.
    pub before: u32,
}

/// Where a launch parameter lies.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The part of VM `id` (counted over the whole launch) starts at `base + id * stride`, all mod 2³²: the base accounts for
    /// `first_vm` already. It counts from the start of the region, or of the job's arena or atomics if there is none.
    pub place: ParamSlot,
    /// The device memory that it lies in.
    pub region: Option<Region>,
}

/// Words that are copied from one place to another.
#[derive(Clone, Debug)]
pub struct Copy {
    /// From where.
    pub from: Span,
    /// To where; the two do not overlap.
    pub to: Span,
    /// How many words.
    pub words: u32,
}

/// A place in a region, or in the job's arena if there is none.
#[derive(Clone, Debug)]
pub struct Span {
    /// The region.
    pub region: Option<Region>,
    /// The first word.
    pub start: u32,
}

/// How many words a launch needs in memory that all VMs of a job share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Words of the arena whatever the number of VMs: uniforms and shared slices.
    pub shared_words: u64,
    /// Further words of the arena for each VM: columns, records, chunks and the result.
    pub words_per_vm: u64,
    /// Words of the atomics, which are there in every job.
    pub atomic_words: u64,
    /// Whether VMs that recurse so deep that there is no memory for all of them can begin again with fewer at a time. Otherwise there has to be
    /// memory for each to go as deep as it may.
    pub restarts: bool,
    /// VMs that are to run.
    pub vms: u32,
    /// Whether jobs [ask after the first trap alone](Job::only_first_trap), and none of their VMs has to stop after a number of instructions.
    pub only_first_trap: bool,
}

impl Demand {
    /// The most VMs whose arena has at most `words` words.
    pub fn vms_within(&self, words: u64) -> u32 {
        let left = words.saturating_sub(self.shared_words);
        let vms = if words < self.shared_words {
            0
        } else {
            left.checked_div(self.words_per_vm).unwrap_or(u64::MAX)
        };
        u32::try_from(vms).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vms_within_counts_the_shared_words_once() {
        let demand = Demand {
            shared_words: 10,
            words_per_vm: 3,
            ..Demand::default()
        };
        assert_eq!(demand.vms_within(9), 0);
        assert_eq!(demand.vms_within(12), 0);
        assert_eq!(demand.vms_within(16), 2);
        assert_eq!(Demand::default().vms_within(0), u32::MAX);
    }
}
