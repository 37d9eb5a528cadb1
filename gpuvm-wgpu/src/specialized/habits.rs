//! What a program is launched with again and again: that is worth a kernel of its own, with it folded in.

use std::sync::{Arc, Mutex, PoisonError, Weak};

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

/// The habits of a device's users, by program, and what is made for them.
#[derive(Debug)]
pub struct Habits<T>(Library<Mutex<Vec<Habit<T>>>>);

/// Runs of a program with the same uniforms.
#[derive(Debug)]
struct Habit<T> {
    known: KnownParams,
    /// How many there were; each step of a job is one.
    runs: u32,
    /// What jobs of each kind in use have been given, so that jobs in a row are given the same.
    given: Vec<(Kind, Weak<T>)>,
}

/// What else than uniforms makes kernels differ: whether an invocation runs several VMs, and whether the first trap alone is asked after.
pub type Kind = [bool; 2];

impl<T> Default for Habits<T> {
    fn default() -> Habits<T> {
        Habits(Library::default())
    }
}

impl<T> Habits<T> {
    /// Takes note of a job of a kind, and gives what is made for its parameters if many runs before it had the same.
    pub fn note(
        &self,
        job: &Job,
        arena: &dyn Source,
        kind: Kind,
        make: impl FnOnce(&KnownParams) -> Option<Arc<T>>,
    ) -> Option<Arc<T>> {
        let habits = self.0.get(&job.program, || Ok(Mutex::default())).ok()?;
        let mut habits = habits.lock().unwrap_or_else(PoisonError::into_inner);
        let before = habits
            .iter()
            .position(|habit| known_of(job, arena).zip(&habit.known.0).all(|(now, then)| now == *then));
        match before {
            Some(before) => habits[..=before].rotate_right(1),
            None => {
                habits.truncate(KEPT - 1);
                let habit = Habit {
                    known: KnownParams(known_of(job, arena).collect()),
                    runs: 0,
                    given: Vec::new(),
                };
                habits.insert(0, habit);
            }
        }
        let habit = habits.first_mut()?;
        let is_one = habit.runs >= REPEATS;
        habit.runs = habit.runs.saturating_add(job.steps);
        if !is_one {
            return None;
        }
        let mut given = habit.given.iter().filter(|(of, _)| *of == kind);
        if let Some(given) = given.find_map(|(_, given)| given.upgrade()) {
            return Some(given);
        }
        let made = make(&habit.known)?;
        habit
            .given
            .retain(|(of, given)| *of != kind && given.strong_count() > 0);
        habit.given.push((kind, Arc::downgrade(&made)));
        Some(made)
    }
}

/// What a job fixes of each parameter.
fn known_of(job: &Job, arena: &dyn Source) -> impl Iterator<Item = KnownParam> {
    let mut left = MOST_WORDS;
    let known = move |(slot, ty): (&Slot, &TypeRef)| {
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
    job.slots.iter().zip(&job.program.params).map(known)
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

    /// Notes a job with these words, and gives what is known of its parameters if that is a habit.
    fn note(habits: &Habits<KnownParams>, job: &Job, arena: &[u32]) -> Option<Arc<KnownParams>> {
        habits.note(job, &arena, [false; 2], |known| Some(Arc::new(known.clone())))
    }

    #[test]
    fn uniforms_are_folded_in_when_they_stay_the_same() {
        let (habits, same, other) = (Habits::default(), batch(7), batch(8).arena);
        let note = |arena: &[u32]| note(&habits, &same.job, arena);
        for _ in 0..REPEATS {
            assert_eq!(note(&same.arena), None);
        }
        let found = note(&same.arena).unwrap();
        assert_eq!((found.0[0].stride, &found.0[0].value), (Some(0), &Some(vec![7])));
        assert_eq!(note(&other), None, "another value has not been there before");
        assert!(note(&same.arena).is_some(), "and does not end the habit");
    }

    #[test]
    fn jobs_of_a_kind_are_given_the_same_while_it_is_in_use() {
        let (habits, same) = (Habits::default(), batch(7));
        let note = |kind| habits.note(&same.job, &same.arena.as_slice(), kind, |_| Some(Arc::new(())));
        while note([false; 2]).is_none() {}
        let [first, again, other] = [[false; 2], [false; 2], [true, false]].map(|kind| note(kind).unwrap());
        assert!(Arc::ptr_eq(&first, &again) && !Arc::ptr_eq(&first, &other));
        let weak = Arc::downgrade(&first);
        drop((first, again));
        assert!(weak.upgrade().is_none() && note([false; 2]).is_some());
    }

    #[test]
    fn a_sweep_is_no_habit() {
        let (habits, same) = (Habits::default(), batch(0));
        for value in 0..3 * (REPEATS + 1) {
            // One more value than is remembered.
            assert_eq!(note(&habits, &same.job, &[value % (KEPT as u32 + 1)]), None);
        }
    }

    #[test]
    fn each_step_is_a_run() {
        let (habits, mut same) = (Habits::default(), batch(7));
        same.job.steps = REPEATS;
        assert_eq!(note(&habits, &same.job, &same.arena), None);
        assert!(note(&habits, &same.job, &same.arena).is_some());
    }
}
