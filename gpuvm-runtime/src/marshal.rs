//! Marshalling: values to words before a job, words to values after it. The arena of a job is
//!
//! ```text
//! uniforms and shared slices | first own parameter's part of each VM | second … | results
//! ```
//!
//! What all VMs share is laid out once a launch and repeated in each of its jobs; what a VM owns is cut to the job's VMs.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gpuvm_core::program::{ParamSlot, Program};

use crate::arg::Mode;
use crate::engine::{Demand, Job};
use crate::vector::Column;
use crate::view::{Seen, View};

/// The words of a launch, but for what each VM owns.
pub(crate) struct Layout {
    shared: Vec<u32>,
    atomics: Vec<u32>,
    places: Vec<Place>,
    result_words: usize,
}

/// Where a parameter lies.
enum Place {
    /// In the words that all VMs share, or in the atomics.
    Shared(ParamSlot),
    /// A part for each VM.
    Own { entries: usize, words: usize, written: bool },
}

impl Layout {
    /// Lays out what all VMs share. `vms` is the number of VMs of the whole launch.
    pub(crate) fn new(params: &[Seen<'_>], result_words: u32, vms: u32) -> Layout {
        let mut layout =
            Layout { shared: Vec::new(), atomics: Vec::new(), places: Vec::new(), result_words: result_words as usize };
        for (index, param) in params.iter().enumerate() {
            let place = match &param.view {
                View::Read { column, uniform } if *uniform || param.mode == Mode::Slice => {
                    Place::Shared(append(&mut layout.shared, *column))
                }
                View::Read { column, .. } => layout.own(*column, vms, false),
                View::Write(column) if param.mode == Mode::Atomic => {
                    Place::Shared(append(&mut layout.atomics, &**column))
                }
                View::Write(column) => layout.own(&**column, vms, true),
                View::AtomicU32(_) | View::AtomicI32(_) => Place::Shared(layout.place_atomics(params, index)),
            };
            layout.places.push(place);
        }
        layout
    }

    fn own(&self, column: &dyn Column, vms: u32, written: bool) -> Place {
        let entries = column.len() / vms as usize;
        Place::Own { entries, words: entries * column.element().words as usize, written }
    }

    /// Appends the caller's atomics, unless an earlier parameter stands for the same ones.
    fn place_atomics(&mut self, params: &[Seen<'_>], index: usize) -> ParamSlot {
        let earlier = params[..index].iter().zip(&self.places).find_map(|(param, place)| {
            let same = match (&param.view, &params[index].view) {
                (View::AtomicU32(a), View::AtomicU32(b)) => a.as_ptr_range() == b.as_ptr_range(),
                (View::AtomicI32(a), View::AtomicI32(b)) => a.as_ptr_range() == b.as_ptr_range(),
                _ => false,
            };
            match place {
                Place::Shared(slot) if same => Some(*slot),
                _ => None,
            }
        });
        earlier.unwrap_or_else(|| {
            let base = self.atomics.len();
            match &params[index].view {
                View::AtomicU32(words) => self.atomics.extend(words.iter().map(|w| w.load(Ordering::Relaxed))),
                View::AtomicI32(words) => self.atomics.extend(words.iter().map(|w| w.load(Ordering::Relaxed) as u32)),
                View::Read { .. } | View::Write(_) => {}
            }
            slot(base, 0, self.atomics.len() - base)
        })
    }

    /// How much memory a job needs.
    pub(crate) fn demand(&self) -> Demand {
        let own = self.places.iter().map(|place| match place {
            Place::Own { words, .. } => *words as u64,
            Place::Shared(_) => 0,
        });
        Demand {
            shared_words: self.shared.len() as u64,
            words_per_vm: own.sum::<u64>() + self.result_words as u64,
            atomic_words: self.atomics.len() as u64,
        }
    }

    /// The job of the VMs `range`.
    pub(crate) fn job(&mut self, program: &Arc<Program>, params: &[Seen<'_>], range: Range<u32>, vm_count: u32) -> Job {
        let vms = range.end - range.start;
        let mut arena = Vec::with_capacity(self.shared.len() + self.demand().words_per_vm as usize * vms as usize);
        arena.extend_from_slice(&self.shared);
        let mut changed: Vec<Range<usize>> = Vec::new();
        let mut change = |words: Range<usize>| match changed.last_mut() {
            Some(last) if last.end == words.start => last.end = words.end,
            _ => changed.push(words),
        };
        let mut slots = Vec::with_capacity(params.len() + 1);
        for (place, param) in self.places.iter().zip(params) {
            slots.push(match place {
                Place::Shared(slot) => *slot,
                Place::Own { entries, words, written } => {
                    let base = arena.len();
                    arena.resize(base + words * vms as usize, 0);
                    let part = range.start as usize * entries..range.end as usize * entries;
                    match &param.view {
                        View::Read { column, .. } => column.write_words(part, &mut arena[base..]),
                        View::Write(column) => column.write_words(part, &mut arena[base..]),
                        View::AtomicU32(_) | View::AtomicI32(_) => {}
                    }
                    if *written {
                        change(base..arena.len());
                    }
                    own_slot(base, *words, range.start, *entries)
                }
            });
        }
        let base = arena.len();
        arena.resize(base + self.result_words * vms as usize, 0);
        change(base..arena.len());
        slots.push(own_slot(base, self.result_words, range.start, 1));
        changed.retain(|words| !words.is_empty());
        Job {
            program: Arc::clone(program),
            first_vm: range.start,
            vms,
            vm_count,
            slots,
            arena,
            atomics: std::mem::take(&mut self.atomics),
            changed,
        }
    }

    /// Takes over what a job has left: records and chunks go back to their columns, results are appended to `results`, atomics
    /// are kept for the next job.
    pub(crate) fn take(&mut self, job: Job, params: &mut [Seen<'_>], results: &mut Vec<u32>) {
        let range = job.first_vm as usize..job.first_vm as usize + job.vms as usize;
        let mut base = self.shared.len();
        for (place, param) in self.places.iter().zip(params) {
            if let Place::Own { entries, words, written } = place {
                let end = base + words * job.vms as usize;
                if let View::Write(column) = &mut param.view
                    && *written
                {
                    column.read_words(range.start * entries..range.end * entries, &job.arena[base..end]);
                }
                base = end;
            }
        }
        results.extend_from_slice(&job.arena[base..]);
        self.atomics = job.atomics;
    }

    /// Puts the atomics back where they came from, after the last job.
    pub(crate) fn finish(&self, params: &mut [Seen<'_>]) {
        for (place, param) in self.places.iter().zip(params) {
            if let (Place::Shared(slot), Mode::Atomic) = (place, param.mode) {
                let words = &self.atomics[slot.base as usize..][..slot.length as usize];
                match &mut param.view {
                    View::Write(column) => column.read_words(0..words.len(), words),
                    View::AtomicU32(atomics) => {
                        atomics.iter().zip(words).for_each(|(a, w)| a.store(*w, Ordering::Relaxed));
                    }
                    View::AtomicI32(atomics) => {
                        atomics.iter().zip(words).for_each(|(a, w)| a.store(*w as i32, Ordering::Relaxed));
                    }
                    View::Read { .. } => {}
                }
            }
        }
    }
}

/// Appends all entries of a column to `words`.
fn append(words: &mut Vec<u32>, column: &dyn Column) -> ParamSlot {
    let base = words.len();
    words.resize(base + column.len() * column.element().words as usize, 0);
    column.write_words(0..column.len(), &mut words[base..]);
    slot(base, 0, column.len())
}

/// A slot whose numbers the launch has already found to fit in 32 bits.
fn slot(base: usize, stride: usize, length: usize) -> ParamSlot {
    ParamSlot { base: base as u32, stride: stride as u32, length: length as u32, reserved: 0 }
}

/// The slot of a part for each VM, such that the part of VM `first` starts at `base`.
fn own_slot(base: usize, stride: usize, first: u32, length: usize) -> ParamSlot {
    let mut slot = slot(base, stride, length);
    slot.base = slot.base.wrapping_sub(first.wrapping_mul(slot.stride));
    slot
}
