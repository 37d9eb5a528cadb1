//! The job of a launch but for where its columns lie: the same from run to run of a plan, so it is laid out once.

use std::sync::Arc;

use crate::bind::Bound;
use crate::content::Content;
use crate::engine::{Demand, Job, Region, Slot, Source};
use crate::view::{Seen, View};

/// A launch's job, made ready for columns in the engine's memory.
pub(super) struct Draft {
    /// Without regions and atomics.
    job: Job,
    /// What its arena starts with: values for all VMs.
    pub words: Vec<u32>,
    pub demand: Demand,
    columns: Vec<Column>,
}

/// What a draft knows of a parameter.
struct Column {
    entries: usize,
    place: Place,
}

/// Where a parameter lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the job's own arena.
    Arena,
    /// In a region of the engine's memory.
    Region,
    /// In such a region, and among the job's atomics from this word on while it runs.
    Atomics(usize),
}

impl Draft {
    /// The draft of a job of a row, if the next one like it has the same words in its arena.
    pub fn new(job: &Job, arena: &Content<'_>, demand: Demand, params: &[Seen<'_>]) -> Option<Draft> {
        let mut atomics = job.atomic_regions.iter();
        let columns = params.iter().zip(&job.slots).map(|(param, slot)| {
            let (entries, place) = match (&param.view, &slot.region) {
                (View::Read { uniform: true, .. }, _) => (1, Place::Arena),
                (View::Device { len, .. }, Some(_)) => (*len, Place::Region),
                (View::Device { len, .. }, None) => (*len, Place::Atomics(atomics.next()?.0)),
                _ => return None,
            };
            Some(Column { entries, place })
        });
        let columns = columns.collect::<Option<Vec<_>>>()?;
        let mut words = vec![0; arena.filled()];
        arena.write(0..words.len(), &mut words);
        let slot = |slot: &Slot| Slot {
            place: slot.place,
            region: None,
        };
        let job = Job {
            program: Arc::clone(&job.program),
            slots: job.slots.iter().map(slot).collect(),
            atomics: Vec::new(),
            atomic_regions: Vec::new(),
            changed: Vec::new(),
            copies: Vec::new(),
            ..*job
        };
        Some(Draft {
            job,
            words,
            demand,
            columns,
        })
    }

    /// The job on columns that lie there.
    pub fn job(&self, regions: Vec<Option<Region>>) -> Job {
        let mut job = self.job.clone();
        job.atomics = vec![0; self.demand.atomic_words as usize];
        for ((slot, column), region) in job.slots.iter_mut().zip(&self.columns).zip(regions) {
            match column.place {
                Place::Atomics(at) => job.atomic_regions.extend(region.map(|region| (at, region))),
                Place::Arena | Place::Region => slot.region = region,
            }
        }
        job
    }

    /// Whether it is one for so many VMs, and columns of these lengths that lie there.
    pub fn suits(&self, vms: u32, params: &[Bound<'_>], regions: &[Option<Region>]) -> bool {
        let mut columns = self.columns.iter().zip(params).zip(regions);
        self.job.vms == vms
            && columns.all(|((column, bound), region)| {
                column.entries == bound.argument.len() && region.is_some() == (column.place != Place::Arena)
            })
    }
}
