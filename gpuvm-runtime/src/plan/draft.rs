//! The job of a launch but for where its columns lie. That is the same from run to run of a plan, so it is laid out once.

use std::sync::Arc;

use gpuvm_core::program::ParamSlot;
use gpuvm_engine::{Demand, Job, Region, Slot, Source, Tiles};

use crate::bind::Bound;
use crate::content::Content;
use crate::leg::Course;
use crate::view::{Seen, View};

/// A launch's job, ready for columns in the engine's memory.
pub(super) struct Draft {
    vms: u32,
    columns: Vec<Column>,
    result: ParamSlot,
    arena_words: usize,
    neighbours: Option<u32>,
    tiles: Option<Tiles>,
    /// What its arena starts with: values for all VMs.
    pub words: Vec<u32>,
    pub demand: Demand,
}

/// What a draft knows of a parameter.
struct Column {
    entries: usize,
    slot: ParamSlot,
    place: Place,
}

/// Where a parameter lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the job's own arena.
    Arena,
    /// In a region of the engine's memory.
    Region,
    /// In such a region, and while the job runs among its atomics, from this word on.
    Atomics(usize),
}

impl Draft {
    /// The draft of a job that can be one of a sequence; `None` if the next one like it may have other words in its arena.
    pub fn new(job: &Job, arena: &Content<'_>, demand: Demand, params: &[Seen<'_>]) -> Option<Draft> {
        let (result, slots) = job.slots.split_last()?;
        let mut atomics = job.atomic_regions.iter();
        let column = |(param, slot): (&Seen<'_>, &Slot)| {
            let (entries, place) = match (&param.view, &slot.region) {
                (View::Read { uniform: true, .. }, _) => (1, Place::Arena),
                (View::Device { len, .. }, Some(_)) => (*len, Place::Region),
                (View::Device { len, .. }, None) => (*len, Place::Atomics(atomics.next()?.0)),
                _ => return None,
            };
            let slot = slot.place;
            Some(Column { entries, slot, place })
        };
        let columns = params.iter().zip(slots).map(column).collect::<Option<_>>()?;
        let mut words = vec![0; arena.filled()];
        arena.write(0..words.len(), &mut words);
        Some(Draft {
            vms: job.vms,
            columns,
            result: result.place,
            arena_words: job.arena_words,
            neighbours: job.neighbours,
            tiles: job.tiles.clone(),
            words,
            demand,
        })
    }

    /// Whether it is one for so many VMs, and for columns of these lengths.
    pub fn suits(&self, vms: u32, params: &[Bound<'_>], regions: &[Option<Region>]) -> bool {
        let mut columns = self.columns.iter().zip(params).zip(regions);
        self.vms == vms
            && columns.all(|((column, bound), region)| {
                column.entries == bound.argument.len() && region.is_some() == (column.place != Place::Arena)
            })
    }

    /// The job, on columns that lie there.
    pub fn job(&self, course: &Course, regions: Vec<Option<Region>>) -> Job {
        let mut slots = Vec::with_capacity(self.columns.len() + 1);
        let mut atomic_regions = Vec::new();
        for (column, mut region) in self.columns.iter().zip(regions) {
            if let Place::Atomics(at) = column.place {
                atomic_regions.extend(region.take().map(|region| (at, region)));
            }
            let place = column.slot;
            slots.push(Slot { place, region });
        }
        slots.push(Slot {
            place: self.result,
            region: None,
        });
        Job {
            arena_words: self.arena_words,
            atomic_regions,
            only_first_trap: true,
            neighbours: self.neighbours,
            tiles: self.tiles.clone(),
            ..Job::new(Arc::clone(&course.program), self.vms, slots)
        }
    }
}
