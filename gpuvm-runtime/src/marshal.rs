//! Marshalling: values to words before a job, words to values after it. The arena of a job is
//!
//! ```text
//! uniforms and shared slices | first own parameter's part of each VM | second … | results | as many zeros
//! ```
//!
//! What all VMs share is laid out once and repeated in each of a launch's jobs; what a VM owns is cut to the job's VMs; what is in
//! the engine's memory stays there. The zeros are there only if a job makes several steps: they replace the results before each.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::{Mode, ParamSlot, Program};
use gpuvm_core::types::Type;
use gpuvm_engine::{Copy, Demand, Finished, Job, Memory, Region, Slot, Span, Words, atomic_words};

use crate::atomics::Atomics;
use crate::content::Content;
use crate::vector::{Column, write_pieces};
use crate::view::{Seen, View};

#[cfg(test)]
mod tests;

/// The words of a launch, but for what each VM owns.
pub(crate) struct Layout {
    shared_words: usize,
    atomics: Vec<u32>,
    atomic_regions: Vec<(usize, Region)>,
    places: Vec<Place>,
    result_words: usize,
    /// Whether a job makes several steps.
    repeated: bool,
}

/// Where a parameter lies.
enum Place {
    /// In the words that all VMs share.
    Shared(ParamSlot),
    /// In the words that all VMs share and write.
    Common { slot: ParamSlot, words: usize },
    /// In the atomics.
    Atomic(ParamSlot),
    /// A part for each VM.
    Own {
        entries: usize,
        words: usize,
        written: bool,
    },
    /// In the engine's memory.
    Device(Slot),
}

/// One job of a launch, but for its atomics.
pub(crate) struct Cut<'j> {
    /// What it runs.
    pub program: &'j Arc<Program>,
    /// Its VMs.
    pub range: Range<u32>,
    /// The VMs of the launch.
    pub vm_count: u32,
    /// How many steps it makes.
    pub steps: u32,
    /// Their results so far, if there are any.
    pub results: &'j [u32],
}

impl Layout {
    /// Lays out what all VMs share. `vms` is the number of VMs of the whole launch. If jobs are to be `repeated`, what is copied anew
    /// before each step is copied by the job.
    pub(crate) fn new(params: &[Seen<'_>], result_words: u32, vms: u32, repeated: bool) -> Layout {
        let mut layout = Layout {
            shared_words: 0,
            atomics: Vec::new(),
            atomic_regions: Vec::new(),
            places: Vec::new(),
            result_words: result_words as usize,
            repeated,
        };
        for (index, param) in params.iter().enumerate() {
            let place = match &param.view {
                View::Read { column, uniform } if *uniform || param.shared(column.len(), vms) => {
                    Place::Shared(layout.share(*column).0)
                }
                View::Read { column, .. } => layout.own(*column, vms, false),
                View::Write(column) if param.mode == Mode::Atomic => {
                    let base = layout.atomics_end(column.element());
                    layout.atomics.resize(base, 0);
                    Place::Atomic(append(&mut layout.atomics, &**column))
                }
                View::Write(column) if param.mode == Mode::Whole => {
                    let (slot, words) = layout.share(&**column);
                    Place::Common { slot, words }
                }
                View::Write(column) => layout.own(&**column, vms, true),
                View::Atomics(atomics) => Place::Atomic(layout.place_atomics(params, index, *atomics)),
                View::Device { region, element, len } if param.mode == Mode::Atomic => {
                    let base = layout.atomics_end(element);
                    layout.atomic_regions.push((base, (*region).clone()));
                    Place::Atomic(slot(base, 0, *len))
                }
                View::Device { region, element, len } => {
                    let (size, each) = (element.words as usize, len / vms as usize);
                    Place::Device(Slot {
                        place: match param.mode {
                            _ if param.shared(*len, vms) => slot(0, 0, *len),
                            _ => slot(0, each * size, each),
                        },
                        region: Some((*region).clone()),
                    })
                }
            };
            layout.places.push(place);
        }
        layout
    }

    /// A place for a column that all VMs share, and its words.
    fn share(&mut self, column: &dyn Column) -> (ParamSlot, usize) {
        let (base, words) = (self.shared_words, column.len() * column.element().words as usize);
        self.shared_words += words;
        (slot(base, 0, column.len()), words)
    }

    fn own(&self, column: &dyn Column, vms: u32, written: bool) -> Place {
        let entries = column.len() / vms as usize;
        Place::Own {
            entries,
            words: entries * column.element().words as usize,
            written,
        }
    }

    /// Where the next atomics begin whose values have that type: those of two words at an even word, as devices have them.
    fn atomics_end(&self, element: &Type) -> usize {
        self.atomic_words().next_multiple_of(element.words as usize)
    }

    /// Words of all atomics, those of regions among them.
    fn atomic_words(&self) -> usize {
        atomic_words(&self.atomics, &self.atomic_regions)
    }

    /// Appends atomics, unless an earlier parameter stands for the same ones.
    fn place_atomics(&mut self, params: &[Seen<'_>], index: usize, atomics: Atomics<'_>) -> ParamSlot {
        let earlier = params[..index]
            .iter()
            .zip(&self.places)
            .find_map(|(param, place)| match (&param.view, place) {
                (View::Atomics(other), Place::Atomic(slot)) if other.is_same(atomics) => Some(*slot),
                _ => None,
            });
        earlier.unwrap_or_else(|| {
            let base = self.atomics_end(atomics.element());
            self.atomics.resize(base, 0);
            self.atomics.extend(atomics.words());
            slot(base, 0, atomics.len())
        })
    }

    /// Whether one job can make several steps: all copies are from and to memory that a job copies.
    pub(crate) fn repeatable(params: &[Seen<'_>]) -> bool {
        let mut copies = params.iter().filter_map(|param| param.copy_of);
        copies.all(|of| params.get(of).is_some_and(|source| source.mode != Mode::Atomic))
    }

    /// How much memory a job needs.
    pub(crate) fn demand(&self) -> Demand {
        let own = self.places.iter().map(|place| match place {
            Place::Own { words, .. } => *words as u64,
            _ => 0,
        });
        Demand {
            shared_words: self.shared_words as u64,
            words_per_vm: own.sum::<u64>() + self.result_words as u64 * (1 + u64::from(self.repeated)),
            atomic_words: self.atomic_words() as u64,
            ..Demand::default()
        }
    }

    /// Whether VMs of different jobs write to the same memory, so that each job needs what the one before has left.
    pub(crate) fn is_handed_on(&self) -> bool {
        let common = |place: &Place| matches!(place, Place::Common { .. });
        self.atomic_words() > 0 || self.places.iter().any(common)
    }

    /// The atomics for the next job.
    pub(crate) fn atomics(&self) -> Vec<u32> {
        self.atomics.clone()
    }

    /// Where those of the last parameter begin, if it has any.
    pub(crate) fn last_atomics(&self) -> usize {
        match self.places.last() {
            Some(Place::Atomic(slot)) => slot.base as usize,
            _ => 0,
        }
    }

    /// The atomics for the only job.
    pub(crate) fn take_atomics(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.atomics)
    }

    /// Keeps the atomics that a job has left.
    pub(crate) fn keep_atomics(&mut self, atomics: Vec<u32>) {
        self.atomics = atomics;
    }

    /// A job, with empty atomics, and what its arena starts with.
    pub(crate) fn job<'p>(&self, params: &'p [Seen<'_>], cut: &Cut<'p>) -> (Job, Content<'p>) {
        let Cut { range, steps, .. } = cut;
        let vms = range.len();
        let mut content = Content::default();
        let mut changed: Vec<Range<usize>> = Vec::new();
        let mut change = |words: Range<usize>| match changed.last_mut() {
            Some(last) if last.end == words.start => last.end = words.end,
            _ => changed.push(words),
        };
        for (place, param) in self.places.iter().zip(params) {
            match (place, &param.view) {
                (Place::Shared(slot), View::Read { column, .. }) => {
                    content.push_entries(slot.base as usize, *column, 0..column.len());
                }
                (Place::Common { slot, words }, View::Write(column)) => {
                    content.push_entries(slot.base as usize, &**column, 0..column.len());
                    change(slot.base as usize..slot.base as usize + words);
                }
                _ => {}
            }
        }
        let mut end = self.shared_words;
        let mut slots = Vec::with_capacity(params.len() + 1);
        let mut spans = Vec::with_capacity(params.len());
        for (place, param) in self.places.iter().zip(params) {
            let base = end;
            slots.push(match place {
                Place::Shared(slot) | Place::Common { slot, .. } | Place::Atomic(slot) => on_host(*slot),
                Place::Device(slot) => slot.clone(),
                Place::Own {
                    entries,
                    words,
                    written,
                } => {
                    end += words * vms;
                    let part = range.start as usize * entries..range.end as usize * entries;
                    match &param.view {
                        View::Read { column, .. } => content.push_entries(base, *column, part),
                        View::Write(column) => content.push_entries(base, &**column, part),
                        View::Atomics(_) | View::Device { .. } => {}
                    }
                    if *written {
                        change(base..end);
                    }
                    on_host(own_slot(base, *words, range.start, *entries))
                }
            });
            spans.push(self.span(place, base));
        }
        let each = self.result_words;
        let (base, end) = (end, end + each * vms);
        content.push_words(base, cut.results);
        let arena_words = self.shared_words + self.demand().words_per_vm as usize * vms;
        content.extend_to(arena_words);
        change(base..end);
        slots.push(on_host(own_slot(base, each, range.start, 1)));
        changed.retain(|words| !words.is_empty());
        let mut copies = copies(params, &spans, *steps > 1);
        if self.repeated && each > 0 {
            copies.push(Copy {
                from: in_arena(end),
                to: in_arena(base),
                words: (each * vms) as u32,
            });
        }
        let job = Job {
            first_vm: range.start,
            vm_count: cut.vm_count,
            arena_words,
            changed,
            atomic_regions: self.atomic_regions.clone(),
            steps: *steps,
            copies,
            ..Job::new(Arc::clone(cut.program), range.end - range.start, slots)
        };
        (job, content)
    }

    /// Where a place can be copied from or to.
    fn span(&self, place: &Place, own_base: usize) -> Option<Span> {
        match place {
            Place::Shared(slot) | Place::Common { slot, .. } => Some(in_arena(slot.base as usize)),
            Place::Own { .. } => Some(in_arena(own_base)),
            Place::Device(slot) => Some(Span {
                region: slot.region.clone(),
                start: 0,
            }),
            Place::Atomic(slot) => {
                let region = self.atomic_regions.iter().find(|(at, _)| *at == slot.base as usize);
                region.map(|(_, region)| Span {
                    region: Some(region.clone()),
                    start: 0,
                })
            }
        }
    }

    /// Takes over what a job has left: common columns, records and chunks go back to their columns, results to their place among those of
    /// the VMs `all`, atomics are kept for the next job.
    pub(crate) fn take(
        &mut self,
        range: Range<u32>,
        finished: Finished,
        params: &mut [Seen<'_>],
        results: &mut Words,
        all: &Range<u32>,
    ) {
        let mut rest = &*finished.changed;
        for (place, param) in self.places.iter().zip(params.iter_mut()) {
            if let (Place::Common { words, .. }, View::Write(column)) = (place, &mut param.view) {
                let (common, after) = rest.split_at(*words);
                column.read_words(0..column.len(), common);
                rest = after;
            }
        }
        for (place, param) in self.places.iter().zip(params) {
            if let (
                Place::Own {
                    entries,
                    words,
                    written: true,
                },
                View::Write(column),
            ) = (place, &mut param.view)
            {
                let (own, after) = rest.split_at(words * range.len());
                let entries = range.start as usize * entries..range.end as usize * entries;
                column.read_words(entries, own);
                rest = after;
            }
        }
        let each = self.result_words;
        if range.len() == all.len() {
            let from = finished.changed.len() - rest.len();
            let to = finished.changed.len();
            *results = finished.changed.part(from..to);
        } else {
            let first = each * (range.start - all.start) as usize;
            let mut words = std::mem::take(results).into_vec();
            words.resize(each * all.len(), 0);
            words[first..first + each * range.len()].copy_from_slice(rest);
            *results = words.into();
        }
        self.atomics = finished.atomics;
    }

    /// The words of each parameter's part in the arena of a job of so many VMs.
    fn own_parts(&self, vms: usize) -> Vec<Range<usize>> {
        let mut end = self.shared_words;
        let part = |place: &Place| {
            let start = end;
            if let Place::Own { words, .. } = place {
                end += words * vms;
            }
            start..end
        };
        self.places.iter().map(part).collect()
    }

    /// The words of the results in the arena of a job of so many VMs.
    fn results(&self, vms: usize) -> Range<usize> {
        let start = self.own_parts(vms).last().map_or(self.shared_words, |last| last.end);
        start..start + self.result_words * vms
    }

    /// Brings the memory of a job that is under way into the words of the launch's columns, one vector a parameter, and of its results.
    /// What is in the engine's memory is not looked at.
    pub(crate) fn overlay(&self, range: Range<u32>, memory: &Memory, columns: &mut [Vec<u32>], results: &mut [u32]) {
        for ((part, place), column) in self.own_parts(range.len()).iter().zip(&self.places).zip(columns) {
            match place {
                Place::Own { words, .. } => {
                    let to = range.start as usize * words..range.end as usize * words;
                    column[to].copy_from_slice(&memory.arena[part.clone()]);
                }
                Place::Shared(slot) | Place::Common { slot, .. } => {
                    let from = slot.base as usize..slot.base as usize + column.len();
                    column.copy_from_slice(&memory.arena[from]);
                }
                Place::Atomic(slot) => {
                    let from = slot.base as usize..slot.base as usize + column.len();
                    column.copy_from_slice(&memory.atomics[from]);
                }
                Place::Device(_) => {}
            }
        }
        let each = self.result_words;
        results[range.start as usize * each..range.end as usize * each]
            .copy_from_slice(&memory.arena[self.results(range.len())]);
    }

    /// An earlier parameter that stands for the same atomics.
    pub(crate) fn same_atomics(&self, index: usize) -> Option<usize> {
        let base = |place: &Place| match place {
            Place::Atomic(slot) if slot.length > 0 => Some(slot.base),
            _ => None,
        };
        let own = base(self.places.get(index)?)?;
        self.places[..index].iter().position(|place| base(place) == Some(own))
    }

    /// Puts the atomics back where they came from, after the last job.
    pub(crate) fn finish(&self, params: &mut [Seen<'_>]) {
        for (place, param) in self.places.iter().zip(params) {
            if let Place::Atomic(slot) = place {
                let words = |element: &Type| {
                    let words = slot.length as usize * element.words as usize;
                    &self.atomics[slot.base as usize..][..words]
                };
                match &mut param.view {
                    View::Write(column) => column.read_words(0..column.len(), words(column.element())),
                    View::Atomics(atomics) => atomics.set_words(words(atomics.element())),
                    View::Read { .. } | View::Device { .. } => {}
                }
            }
        }
    }
}

/// What to copy before each step: the parameters that are copies of others. On the host the first step's copies are made already.
fn copies(params: &[Seen<'_>], spans: &[Option<Span>], repeated: bool) -> Vec<Copy> {
    let copy = |(param, to): (&Seen<'_>, &Option<Span>)| {
        let from = spans.get(param.copy_of?)?.clone()?;
        let to = to.clone()?;
        let (element, len) = match &param.view {
            View::Read { column, .. } => (column.element(), column.len()),
            View::Device { element, len, .. } => (*element, *len),
            _ => return None,
        };
        let words = element.words * len as u32;
        (words > 0 && (repeated || to.region.is_some())).then_some(Copy { from, to, words })
    };
    params.iter().zip(spans).filter_map(copy).collect()
}

/// Appends all entries of a column to `words`.
fn append(words: &mut Vec<u32>, column: &dyn Column) -> ParamSlot {
    let base = words.len();
    words.resize(base + column.len() * column.element().words as usize, 0);
    write_pieces(column, 0..column.len(), &mut words[base..]);
    slot(base, 0, column.len())
}

/// A slot whose numbers the launch has already found to fit in 32 bits.
fn slot(base: usize, stride: usize, length: usize) -> ParamSlot {
    ParamSlot {
        base: base as u32,
        stride: stride as u32,
        length: length as u32,
        reserved: 0,
    }
}

/// The slot of a part for each VM, such that the part of VM `first` starts at `base`.
fn own_slot(base: usize, stride: usize, first: u32, length: usize) -> ParamSlot {
    let mut slot = slot(base, stride, length);
    slot.base = slot.base.wrapping_sub(first.wrapping_mul(slot.stride));
    slot
}

/// A slot in the job's own arena or atomics.
fn on_host(place: ParamSlot) -> Slot {
    Slot { place, region: None }
}

/// A place in the job's own arena.
fn in_arena(start: usize) -> Span {
    Span {
        region: None,
        start: start as u32,
    }
}
