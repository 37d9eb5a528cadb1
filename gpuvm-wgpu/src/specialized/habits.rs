//! What a program is launched with again and again: that is worth a kernel of its own, with it folded in.

use std::sync::{Mutex, PoisonError};

use gpuvm_core::program::Mode;
use gpuvm_core::specialise::{ALIGNED, KnownParam, KnownParams};
use gpuvm_core::types::TypeRef;
use gpuvm_engine::{Job, Slot, Source};

use crate::library::Library;

/// Launches in a row with the same uniforms after which these are folded in. Who sweeps over a parameter never gets there.
const REPEATS: u32 = 16;
/// Words of all uniforms together that are worth looking at in each launch.
const MOST_WORDS: usize = 64;

/// The habits of a device's users, by program.
#[derive(Debug, Default)]
pub struct Habits(Library<Mutex<Habit>>);

#[derive(Debug, Default)]
struct Habit {
    last: KnownParams,
    launches: u32,
}

impl Habits {
    /// Takes note of a launch, and gives what is known of its parameters if the launches before it had the same.
    pub fn note(&self, job: &Job, arena: &dyn Source) -> Option<KnownParams> {
        let habit = self.0.get(&job.program, || Ok(Mutex::default())).ok()?;
        let now = known_of(job, arena);
        let mut habit = habit.lock().unwrap_or_else(PoisonError::into_inner);
        if habit.last != now {
            *habit = Habit { last: now, launches: 0 };
        }
        habit.launches = habit.launches.saturating_add(1);
        (habit.launches > REPEATS).then(|| habit.last.clone())
    }
}

/// What a launch fixes of each parameter.
fn known_of(job: &Job, arena: &dyn Source) -> KnownParams {
    let mut left = MOST_WORDS;
    let known = |(slot, ty): (&Slot, &TypeRef)| {
        let Slot { place, region } = slot;
        let mode = Mode::of(*ty).map(|(mode, _)| mode);
        let words = ty.ty.words as usize;
        let start = place.base as usize;
        let is_uniform = mode == Some(Mode::Value) && place.stride == 0 && region.is_none();
        let value = (is_uniform && words <= left && start + words <= arena.words()).then(|| {
            left -= words;
            let mut value = vec![0; words];
            arena.write(start..start + words, &mut value);
            value
        });
        KnownParam {
            stride: Some(place.stride),
            length: Some(place.length),
            value,
            // Regions begin at such multiples themselves.
            aligned: place.base % ALIGNED == 0 && place.stride % ALIGNED == 0,
        }
    };
    KnownParams(job.slots.iter().zip(&job.program.params).map(known).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Batch, job};
    use gpuvm_core::assembly::assemble;

    fn batch(first: u32) -> Batch {
        let text = "param u32\nresult u32\ncode\nhalt";
        job(assemble(text).unwrap(), &[first], 0, 1, 5)
    }

    #[test]
    fn uniforms_are_folded_in_when_they_stay_the_same() {
        let (habits, same, other) = (Habits::default(), batch(7), batch(8).arena);
        let note = |arena: &[u32]| habits.note(&same.job, &arena);
        for _ in 0..REPEATS {
            assert_eq!(note(&same.arena), None);
        }
        let found = note(&same.arena).unwrap();
        assert_eq!((found.0[0].stride, &found.0[0].value), (Some(0), &Some(vec![7])));
        assert_eq!(note(&other), None, "another value begins anew");
        assert_eq!(note(&same.arena), None);
    }
}
