//! What a program is launched with again and again: that is worth a kernel of its own, with it folded in.

use std::sync::{Mutex, PoisonError};

use gpuvm_core::program::Mode;
use gpuvm_core::specialise::{KnownParam, KnownParams};
use gpuvm_core::types::TypeRef;
use gpuvm_engine::{Job, Slot, Source};

use crate::library::Library;

/// Runs with the same uniforms after which these are folded in. Who sweeps over a parameter never gets there.
const REPEATS: u32 = 16;
/// Uniforms of one program that are remembered: those of the last runs, as phases of a plan may be of one routine.
const KEPT: usize = 4;
/// Words of all uniforms together that are worth looking at in each launch.
const MOST_WORDS: usize = 64;

/// The habits of a device's users, by program.
#[derive(Debug, Default)]
pub struct Habits(Library<Mutex<Vec<Habit>>>);

/// Runs of a program with the same uniforms.
#[derive(Debug)]
struct Habit {
    known: KnownParams,
    /// How many there were; each step of a job is one.
    runs: u32,
}

impl Habits {
    /// Takes note of a job, and gives what is known of its parameters if many runs before it had the same.
    pub fn note(&self, job: &Job, arena: &dyn Source) -> Option<KnownParams> {
        let habits = self.0.get(&job.program, || Ok(Mutex::default())).ok()?;
        let known = known_of(job, arena);
        let mut habits = habits.lock().unwrap_or_else(PoisonError::into_inner);
        match habits.iter().position(|habit| habit.known == known) {
            Some(before) => habits[..=before].rotate_right(1),
            None => {
                habits.truncate(KEPT - 1);
                habits.insert(0, Habit { known, runs: 0 });
            }
        }
        let habit = habits.first_mut()?;
        let is_one = habit.runs >= REPEATS;
        habit.runs = habit.runs.saturating_add(job.steps);
        is_one.then(|| habit.known.clone())
    }
}

/// What a job fixes of each parameter.
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
            alignment: KnownParam::alignment_of([place.base, place.stride]),
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
        assert_eq!(note(&other), None, "another value has not been there before");
        assert!(note(&same.arena).is_some(), "and does not end the habit");
    }

    #[test]
    fn a_sweep_is_no_habit() {
        let (habits, same) = (Habits::default(), batch(0));
        for value in 0..3 * (REPEATS + 1) {
            // One more value than is remembered.
            assert_eq!(habits.note(&same.job, &[value % (KEPT as u32 + 1)].as_slice()), None);
        }
    }

    #[test]
    fn each_step_is_a_run() {
        let (habits, mut same) = (Habits::default(), batch(7));
        same.job.steps = REPEATS;
        assert_eq!(habits.note(&same.job, &same.arena.as_slice()), None);
        assert!(habits.note(&same.job, &same.arena.as_slice()).is_some());
    }
}
