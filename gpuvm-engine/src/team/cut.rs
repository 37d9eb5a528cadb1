//! A job in parts: the job that each device gets, and where what it leaves belongs.

use std::ops::Range;
use std::sync::Arc;

use gpuvm_core::program::{Mode, ParamSlot, Program, Seen, footprint};
use gpuvm_core::types::Type;

use super::memory::{Column, TeamMemory};
use super::pieces::Pieces;
use crate::error::Result;
use crate::{Job, Reach, Region, Slot, Source};

/// How a job's memory is cut.
pub(super) struct Cut {
    program: Arc<Program>,
    first_vm: u32,
    vms: u32,
    vm_count: u32,
    slots: Vec<Slot>,
    changed: Vec<Range<usize>>,
    reach: Arc<[Option<Reach>]>,
    arena_words: usize,
    is_looked_at: bool,
    /// The words of the arena that each VM has its own of, ascending: where the first VM's are, and how many each has.
    own: Vec<Own>,
}

/// Words of which each VM has its own, VM after VM.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    start: usize,
    each: usize,
}

/// How a parameter's column on a device is seen by VMs.
pub(super) struct Sight {
    pub column: Arc<Column>,
    /// The words that VMs of a part see, as far as is known: from the first one of them to the last.
    pub words: Range<u64>,
    /// What they read of these if it is not all.
    pub read: Option<Vec<Range<u64>>>,
    pub writes: bool,
}

impl Own {
    /// The words of some VMs, counted from the job's first.
    fn of(&self, vms: &Range<u32>) -> Range<usize> {
        self.start + self.each * vms.start as usize..self.start + self.each * vms.end as usize
    }
}

/// A value of so many words may be known.
const MOST_VALUE: u32 = 1 << 10;

/// What it depends on what VMs read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Known {
    /// The program, by where it is.
    program: usize,
    vms: Range<u32>,
    vm_count: u32,
    /// The values of parameters that all VMs have the same of.
    values: Vec<Option<Vec<u32>>>,
    /// The strides and lengths of all parameters.
    slots: Vec<(u32, u32)>,
}

/// What VMs read of each parameter, as ranges of its words.
pub(super) type Footprint = Vec<Vec<Range<u32>>>;

/// Words of a parameter as those of its column, of which it has some: it may begin before them, where nobody reads.
fn in_column(place: ParamSlot, words: &Range<u32>, all: &Range<u64>) -> Option<Range<u64>> {
    let first = all.start as i64 + i64::from(place.base as i32);
    let at = |word: u32| u64::try_from(first + i64::from(word)).unwrap_or_default();
    let within = at(words.start).max(all.start)..at(words.end).min(all.end);
    (!within.is_empty()).then_some(within)
}

/// From the first to the last of ascending ranges.
fn hull(ranges: &[Range<u64>]) -> Range<u64> {
    let start = ranges.first().map_or(0, |first| first.start);
    start..ranges.last().map_or(start, |last| last.end)
}

/// Where a VM's words of a parameter are.
fn start_of(place: ParamSlot, vm: u32) -> u32 {
    place.base.wrapping_add(vm.wrapping_mul(place.stride))
}

impl Cut {
    pub fn new(job: &Job) -> Cut {
        let own = job.slots.iter().enumerate().filter_map(|(index, slot)| {
            let is_own = slot.region.is_none() && slot.place.stride > 0 && !is_atomic(&job.program, index);
            is_own.then(|| Own {
                start: start_of(slot.place, job.first_vm) as usize,
                each: slot.place.stride as usize,
            })
        });
        let mut own: Vec<Own> = own.collect();
        own.sort_by_key(|own| own.start);
        Cut {
            program: Arc::clone(&job.program),
            first_vm: job.first_vm,
            vms: job.vms,
            vm_count: job.vm_count,
            slots: job.slots.clone(),
            changed: job.changed.clone(),
            reach: Arc::clone(&job.reach),
            arena_words: job.arena_words,
            is_looked_at: job.is_looked_at,
            own,
        }
    }

    /// VMs of the launch.
    pub fn vm_count(&self) -> u32 {
        self.vm_count
    }

    /// How many jobs of that size the launch is.
    pub fn jobs(&self) -> u32 {
        self.vm_count.div_ceil(self.vms.max(1))
    }

    /// Whether VMs can run apart: they share nothing that they write.
    pub fn is_possible(job: &Job) -> bool {
        let reached = |index: usize| job.reach.get(index).copied().flatten();
        let shares = |(index, slot): (usize, &Slot)| {
            let apart = slot.region.is_some() && reached(index).is_some_and(|reach| reach.before == 0);
            slot.place.stride == 0 && slot.place.length > 0 && writes(&job.program, index) && !apart
        };
        job.atomics.is_empty()
            && job.atomic_regions.is_empty()
            && job.steps == 1
            && job.tiles.is_none()
            && !job.slots.iter().enumerate().any(shares)
    }

    /// The arena of a part of the VMs, counted from the job's first: without what other VMs own, unless addresses are to stay as they are.
    pub fn pieces(&self, part: &Range<u32>) -> Pieces {
        let mut pieces = Vec::new();
        if self.is_looked_at {
            pieces.push(0..self.arena_words);
            return Pieces::new(pieces);
        }
        let mut end = 0;
        for own in &self.own {
            pieces.push(end..own.start);
            pieces.push(own.of(part));
            end = own.start + own.each * self.vms as usize;
        }
        pieces.push(end..self.arena_words);
        Pieces::new(pieces)
    }

    /// Where a parameter of a part lies in its arena.
    pub fn place(&self, index: usize, part: &Range<u32>, pieces: &Pieces) -> ParamSlot {
        let place = self.slots[index].place;
        if is_atomic(&self.program, index) {
            return place;
        }
        match place.stride {
            0 => ParamSlot {
                base: pieces.after(place.base as usize) as u32,
                ..place
            },
            stride => {
                let first = self.first_vm.wrapping_add(part.start);
                let start = start_of(place, first) as usize;
                ParamSlot {
                    base: (pieces.after(start) as u32).wrapping_sub(first.wrapping_mul(stride)),
                    ..place
                }
            }
        }
    }

    /// The words of a column of these that VMs of a part touch, of those that all see.
    fn reached(&self, index: usize, part: &Range<u32>, all: Range<u64>) -> Range<u64> {
        let (Some(Reach { each, before }), Some((_, element))) =
            (self.reach.get(index).copied().flatten(), seen(&self.program, index))
        else {
            return all;
        };
        let at = |vm: u32| u64::from(self.first_vm.wrapping_add(vm)) * u64::from(each);
        let word = |entry: u64| (all.start + entry * u64::from(element.words)).min(all.end);
        word(at(part.start).saturating_sub(before.into()))..word(at(part.end))
    }

    /// What it depends on what VMs of a part read of slices that all see; `None` if there are none. `source` is the job's arena.
    pub fn known(&self, part: &Range<u32>, source: &dyn Source) -> Option<Known> {
        let is_whole = |(index, slot): (usize, &Slot)| slot.region.is_some() && self.sees_all(index);
        if !self.slots.iter().enumerate().any(is_whole) {
            return None;
        }
        let values = self.slots.iter().enumerate().map(|(index, slot)| {
            let (mode, ty) = seen(&self.program, index)?;
            let is_value = mode == Mode::Value && slot.place.stride == 0 && slot.region.is_none();
            let start = slot.place.base as usize;
            let end = start + ty.words as usize;
            if !is_value || ty.words > MOST_VALUE || end > source.filled().min(source.words()) {
                return None;
            }
            let mut words = vec![0; ty.words as usize];
            source.write(start..end, &mut words);
            Some(words)
        });
        let first = self.first_vm;
        Some(Known {
            program: Arc::as_ptr(&self.program).addr(),
            vms: first.checked_add(part.start)?..first.checked_add(part.end)?,
            vm_count: self.vm_count,
            values: values.collect(),
            slots: self
                .slots
                .iter()
                .map(|slot| (slot.place.stride, slot.place.length))
                .collect(),
        })
    }

    /// The program, which is where it is as long as somebody has it.
    pub fn program(&self) -> Arc<Program> {
        Arc::clone(&self.program)
    }

    /// What these VMs read of slices that all see, if that can be told.
    pub fn footprint(&self, known: &Known) -> Option<Footprint> {
        let slots: Vec<ParamSlot> = self.slots.iter().map(|slot| slot.place).collect();
        let word = |param: u32, word: u32| {
            let value = known.values.get(param as usize)?.as_ref()?;
            value.get(word as usize).copied()
        };
        let seen = Seen {
            vms: known.vms.clone(),
            vm_count: known.vm_count,
            slots: &slots,
            word: &word,
        };
        footprint(&self.program, &seen)
    }

    /// Whether all VMs see all of a parameter, and nobody says what they touch of it.
    pub fn sees_all(&self, index: usize) -> bool {
        let is_slice = seen(&self.program, index).is_some_and(|(mode, _)| mode == Mode::Slice);
        is_slice && self.reach.get(index).copied().flatten().is_none()
    }

    /// What VMs of a part see of a parameter whose column is in the team's memory, given what is known of what they read.
    pub fn sight(&self, index: usize, part: &Range<u32>, footprint: Option<&Footprint>) -> Option<Result<Sight>> {
        let Slot { place, region } = &self.slots[index];
        let region = region.as_ref()?;
        let own = |(column, all): (Arc<Column>, Range<u64>)| {
            let read = footprint.filter(|_| self.sees_all(index));
            let read = read.map(|read| {
                read[index]
                    .iter()
                    .filter_map(|words| in_column(*place, words, &all))
                    .collect()
            });
            let read: Option<Vec<Range<u64>>> = read;
            let words = match place.stride {
                0 if let Some(read) = &read => hull(read),
                0 => self.reached(index, part, all),
                stride => {
                    let start = all.start + u64::from(start_of(*place, self.first_vm.wrapping_add(part.start)));
                    start..start + u64::from(stride) * part.len() as u64
                }
            };
            Sight {
                column,
                words,
                read,
                writes: writes(&self.program, index),
            }
        };
        Some(TeamMemory::column(region).map(own))
    }

    /// The words of the job's arena that VMs of a part own.
    pub fn owned(&self, part: &Range<u32>) -> impl Iterator<Item = Range<usize>> {
        self.own.iter().map(|own| own.of(part))
    }

    /// The ranges of a part's arena that its VMs may write.
    pub fn changed(&self, part: &Range<u32>, pieces: &Pieces) -> Vec<Range<usize>> {
        let mut changed: Vec<Range<usize>> = Vec::new();
        for from in self.written(part) {
            let start = pieces.after(from.start);
            let end = start + from.len();
            match changed.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => changed.push(start..end),
            }
        }
        changed
    }

    /// The words of the job's arena that VMs of a part may write.
    fn written(&self, part: &Range<u32>) -> impl Iterator<Item = Range<usize>> {
        self.owned(part).flat_map(|own| {
            let both = move |changed: &Range<usize>| own.start.max(changed.start)..own.end.min(changed.end);
            self.changed.iter().map(both).filter(|both| !both.is_empty())
        })
    }

    /// How many words the job may have written.
    pub fn changed_words(&self) -> usize {
        self.changed.iter().map(ExactSizeIterator::len).sum()
    }

    /// Puts what a part has written in its place among what the job has.
    pub fn put(&self, part: &Range<u32>, words: &[u32], all: &mut [u32]) {
        let mut rest = words;
        for from in self.written(part) {
            let (words, behind) = rest.split_at(from.len());
            let before: usize = self
                .changed
                .iter()
                .take_while(|changed| changed.end <= from.start)
                .map(ExactSizeIterator::len)
                .sum();
            let within = self.changed.iter().find(|changed| changed.contains(&from.start));
            let at = before + within.map_or(0, |changed| from.start - changed.start);
            all[at..at + words.len()].copy_from_slice(words);
            rest = behind;
        }
    }
}

/// How VMs see a parameter, and the type of its entries.
fn seen(program: &Program, index: usize) -> Option<(Mode, &'static Type)> {
    Mode::of(*program.params.get(index)?)
}

/// The columns that a job writes.
pub(super) fn written(job: &Job) -> impl Iterator<Item = &Region> {
    let slots = job.slots.iter().enumerate();
    let slots = slots.filter_map(|(index, slot)| slot.region.as_ref().filter(|_| writes(&job.program, index)));
    let copies = job.copies.iter().filter_map(|copy| copy.to.region.as_ref());
    let atomics = job.atomic_regions.iter().map(|(_, region)| region);
    slots.chain(atomics).chain(copies)
}

/// Whether VMs write a parameter.
pub(super) fn writes(program: &Program, index: usize) -> bool {
    seen(program, index).is_some_and(|(mode, _)| mode.writes())
}

/// Whether a parameter lies among the atomics.
fn is_atomic(program: &Program, index: usize) -> bool {
    seen(program, index).is_some_and(|(mode, _)| mode == Mode::Atomic)
}
