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
use crate::engine::{Demand, Finished, Job, Slot};
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
    Own {
        entries: usize,
        words: usize,
        written: bool,
    },
}

impl Layout {
    /// Lays out what all VMs share. `vms` is the number of VMs of the whole launch.
    pub(crate) fn new(params: &[Seen<'_>], result_words: u32, vms: u32) -> Layout {
        let mut layout = Layout {
            shared: Vec::new(),
            atomics: Vec::new(),
            places: Vec::new(),
            result_words: result_words as usize,
        };
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
        Place::Own {
            entries,
            words: entries * column.element().words as usize,
            written,
        }
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
                View::AtomicI32(words) => self
                    .atomics
                    .extend(words.iter().map(|w| w.load(Ordering::Relaxed) as u32)),
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
                Place::Shared(slot) => on_host(*slot),
                Place::Own {
                    entries,
                    words,
                    written,
                } => {
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
                    on_host(own_slot(base, *words, range.start, *entries))
                }
            });
        }
        let base = arena.len();
        arena.resize(base + self.result_words * vms as usize, 0);
        change(base..arena.len());
        slots.push(on_host(own_slot(base, self.result_words, range.start, 1)));
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
            atomic_regions: Vec::new(),
            steps: 1,
            copies: Vec::new(),
        }
    }

    /// Takes over what a job has left: records and chunks go back to their columns, results are appended to `results`, atomics
    /// are kept for the next job.
    pub(crate) fn take(
        &mut self,
        range: Range<u32>,
        finished: Finished,
        params: &mut [Seen<'_>],
        results: &mut Vec<u32>,
    ) {
        let vms = range.len();
        let memory = finished.memory;
        let mut base = self.shared.len();
        for (place, param) in self.places.iter().zip(params) {
            if let Place::Own {
                entries,
                words,
                written,
            } = place
            {
                let end = base + words * vms;
                if let View::Write(column) = &mut param.view
                    && *written
                {
                    let part = range.start as usize * entries..range.end as usize * entries;
                    column.read_words(part, &memory.arena[base..end]);
                }
                base = end;
            }
        }
        results.extend_from_slice(&memory.arena[base..]);
        self.atomics = memory.atomics;
    }

    /// Puts the atomics back where they came from, after the last job.
    pub(crate) fn finish(&self, params: &mut [Seen<'_>]) {
        for (place, param) in self.places.iter().zip(params) {
            if let (Place::Shared(slot), Mode::Atomic) = (place, param.mode) {
                let words = &self.atomics[slot.base as usize..][..slot.length as usize];
                match &mut param.view {
                    View::Write(column) => column.read_words(0..words.len(), words),
                    View::AtomicU32(atomics) => {
                        atomics
                            .iter()
                            .zip(words)
                            .for_each(|(a, w)| a.store(*w, Ordering::Relaxed));
                    }
                    View::AtomicI32(atomics) => {
                        atomics
                            .iter()
                            .zip(words)
                            .for_each(|(a, w)| a.store(*w as i32, Ordering::Relaxed));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arg::IntoArgs;
    use crate::bind::bind;
    use crate::registry::Entry;
    use crate::view::with_views;
    use gpuvm_core::routine::Routine;
    use gpuvm_core::types::TypeRef;
    use std::sync::atomic::AtomicU32;

    const ENTRY: Entry = Entry {
        id: "step",
        file: "src/lib.rs",
        line: 1,
        params: &["dt", "x", "me", "all", "out", "bins"],
        routine: || -> &'static Routine { unreachable!("marshalling takes the types") },
        native: |_| Ok(()),
    };

    /// A program of which only the parameters and the result matter.
    fn program(types: &[TypeRef]) -> Arc<Program> {
        Arc::new(Program {
            name: "step".to_string(),
            params: types.to_vec(),
            result: TypeRef::of::<u64>(),
            code: Vec::new(),
            places: Vec::new(),
            files: Vec::new(),
            routines: Vec::new(),
            matrices: Vec::new(),
            pools: Default::default(),
            sites: Vec::new(),
            frame_words: 0,
            call_depth: 0,
            depth_limit: 0,
            relaxed: false,
            report: Default::default(),
        })
    }

    fn finished(job: Job) -> Finished {
        Finished {
            memory: crate::engine::Memory {
                arena: job.arena,
                atomics: job.atomics,
            },
            first_trap: None,
        }
    }

    fn slot(base: u32, stride: u32, length: u32) -> ParamSlot {
        ParamSlot {
            base,
            stride,
            length,
            reserved: 0,
        }
    }

    #[test]
    fn jobs_lay_out_what_their_vms_see() {
        let types = [
            TypeRef::of::<f32>(),
            TypeRef::of::<u8>(),
            TypeRef::of::<&mut (u32, bool)>(),
            TypeRef::of::<&[i16]>(),
            TypeRef::of::<&mut [u32]>(),
            TypeRef::of::<&[AtomicU32]>(),
        ];
        let program = program(&types);
        let mut me = [(1u32, true), (2, false), (3, true)];
        let mut out: Vec<u32> = (10..16).collect();
        let bins = [AtomicU32::new(40), AtomicU32::new(50)];
        let args = (1.0f32, &[7u8, 8, 9], &mut me, &[-1i16, 5], &mut out, &bins).into_args();
        let mut binding = bind(&ENTRY, &types, args, None).unwrap();
        let one = 1f32.to_bits();
        let mut results = Vec::new();
        with_views(&mut binding.params, |mut params| {
            let mut layout = Layout::new(&params, 2, 3);
            assert_eq!(
                layout.demand(),
                Demand {
                    shared_words: 3,
                    words_per_vm: 7,
                    atomic_words: 2
                }
            );

            let mut first = layout.job(&program, &params, 0..2, 3);
            assert_eq!(
                first.arena,
                [one, 0xffff_ffff, 5, 7, 8, 1, 1, 2, 0, 10, 11, 12, 13, 0, 0, 0, 0]
            );
            assert_eq!(
                first.slots.iter().map(|slot| slot.place).collect::<Vec<_>>(),
                [
                    slot(0, 0, 1),
                    slot(3, 1, 1),
                    slot(5, 2, 1),
                    slot(1, 0, 2),
                    slot(9, 2, 2),
                    slot(0, 0, 2),
                    slot(13, 2, 1)
                ]
            );
            assert_eq!(
                first.changed.iter().cloned().flatten().collect::<Vec<_>>(),
                (5..17).collect::<Vec<_>>()
            );
            assert_eq!((first.changed.len(), first.atomics.as_slice()), (1, &[40, 50][..]));
            first.arena[6] = 0;
            first.arena[12] = 99;
            first.arena[14] = 1;
            first.atomics[1] = 51;
            layout.take(0..2, finished(first), &mut params, &mut results);

            let mut second = layout.job(&program, &params, 2..3, 3);
            assert_eq!(second.arena, [one, 0xffff_ffff, 5, 9, 3, 1, 14, 15, 0, 0]);
            assert_eq!(
                second.slots[2]
                    .place
                    .base
                    .wrapping_add(2 * second.slots[2].place.stride),
                4
            );
            assert_eq!(
                (second.first_vm, second.vms, second.atomics.as_slice()),
                (2, 1, &[40, 51][..])
            );
            second.arena[8] = 6;
            layout.take(2..3, finished(second), &mut params, &mut results);
            layout.finish(&mut params);
        });
        assert_eq!(results, [0, 1, 0, 0, 6, 0]);
        drop(binding);
        assert_eq!(me, [(1, false), (2, false), (3, true)]);
        assert_eq!(out, [10, 11, 12, 99, 14, 15]);
        assert_eq!(bins.map(AtomicU32::into_inner), [40, 51]);
    }
}
