//! Processes that run one program side by side, each a part of its work, and what they tell each other.

use std::ops::Range;
use std::time::Duration;

use gpuvm_core::interp::Vm;
use gpuvm_core::program::TrapRecord;

use crate::error::{Error, Result};
use crate::{Engine, Finished, Image, Kept, Memory, Tally, Words};

/// Processes that run one program side by side, as [MPI](https://www.mpi-forum.org/docs/) calls them: ranks. All of them do the same in the same order, and each
/// that is told to another is told by all at the same point of the program. `gpuvm-mpi` has one on MPI.
pub trait Ranks: Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Which of them this is.
    fn own(&self) -> usize;

    /// What each rank gives, in their order.
    ///
    /// # Errors
    ///
    /// When another rank cannot be reached.
    fn gather(&self, own: &[u32]) -> Result<Vec<Words>>;

    /// Gives all what is in one rank's `words`.
    ///
    /// # Errors
    ///
    /// When another rank cannot be reached.
    fn broadcast(&self, from: usize, words: &mut [u32]) -> Result<()>;

    /// Sends another rank words, and may return before that has them. What two ranks send each other arrives in the order in which it was sent.
    ///
    /// # Errors
    ///
    /// When the other rank cannot be reached.
    fn send(&self, to: usize, words: Words) -> Result<()>;

    /// Takes what another rank sends.
    ///
    /// # Errors
    ///
    /// When the other rank cannot be reached, or has sent something else.
    fn receive(&self, from: usize, words: &mut [u32]) -> Result<()>;

    /// The next VMs of a launch of so many, of which this rank has done what it had: a part of those that no rank has had, and none when there are no more. Every rank asks until it gets
    /// none, of every launch that has such a number.
    ///
    /// # Errors
    ///
    /// When another rank cannot be reached.
    fn take(&self, launch: u64, vms: u32) -> Result<Range<u32>>;

    /// This rank cannot go on, for this reason, and the others must not wait for it. If it returns, they fail at what they wait for.
    fn fail(&self, reason: &str);
}

/// How many of the VMs of a launch that are left a rank gets which asks: of those that the ranks would have each, the half, so that the last ones end together
/// (guided self-scheduling, Polychronopoulos and Kuck, 1987), but so many that a GPU is not idle.
pub fn handed_out(left: u32, all: u32, ranks: usize) -> u32 {
    const LEAST: u32 = 64;
    let ranks = u32::try_from(ranks).unwrap_or(u32::MAX).max(1);
    let least = (all / ranks / LEAST).max(1);
    (left / ranks / 2).max(least).min(left)
}

/// What ranks tell each other, as words.
pub trait Wire: Sized {
    /// Appends it.
    fn put(&self, words: &mut Vec<u32>);

    /// Takes it from the front; `None` of something else.
    fn take(words: &mut &[u32]) -> Option<Self>;
}

/// What each rank gives, in their order.
///
/// # Errors
///
/// When another rank cannot be reached, or tells something else: it does something else.
pub fn gathered<T: Wire>(ranks: &dyn Ranks, own: &T) -> Result<Vec<T>> {
    let all = ranks.gather(&words(own))?;
    let told: Option<Vec<T>> = all.iter().map(|words| from_words(words)).collect();
    told.ok_or_else(garbled)
}

/// What another rank tells has another form: it does something else.
pub(crate) fn garbled() -> Error {
    Error::Device {
        reason:
            "a rank tells something else than it was asked: all ranks have to make the same launches in the same order"
                .to_string(),
    }
}

/// Something as words.
pub(crate) fn words<T: Wire>(value: &T) -> Vec<u32> {
    let mut words = Vec::new();
    value.put(&mut words);
    words
}

/// What was made words, if it was this.
pub(crate) fn from_words<T: Wire>(mut words: &[u32]) -> Option<T> {
    T::take(&mut words)
}

impl Wire for u32 {
    fn put(&self, words: &mut Vec<u32>) {
        words.push(*self);
    }

    fn take(words: &mut &[u32]) -> Option<u32> {
        let (first, rest) = words.split_first()?;
        *words = rest;
        Some(*first)
    }
}

impl Wire for bool {
    fn put(&self, words: &mut Vec<u32>) {
        u32::from(*self).put(words);
    }

    fn take(words: &mut &[u32]) -> Option<bool> {
        Some(u32::take(words)? != 0)
    }
}

impl Wire for u64 {
    fn put(&self, words: &mut Vec<u32>) {
        words.extend([*self as u32, (*self >> 32) as u32]);
    }

    fn take(words: &mut &[u32]) -> Option<u64> {
        let [low, high] = <[u32; 2]>::take(words)?;
        Some(u64::from(low) | u64::from(high) << 32)
    }
}

impl Wire for Duration {
    fn put(&self, words: &mut Vec<u32>) {
        u64::try_from(self.as_nanos()).unwrap_or(u64::MAX).put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Duration> {
        u64::take(words).map(Duration::from_nanos)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, words: &mut Vec<u32>) {
        self.is_some().put(words);
        if let Some(value) = self {
            value.put(words);
        }
    }

    fn take(words: &mut &[u32]) -> Option<Option<T>> {
        Some(match bool::take(words)? {
            true => Some(T::take(words)?),
            false => None,
        })
    }
}

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn put(&self, words: &mut Vec<u32>) {
        self.iter().for_each(|value| value.put(words));
    }

    fn take(words: &mut &[u32]) -> Option<[T; N]> {
        let all: Option<Vec<T>> = (0..N).map(|_| T::take(words)).collect();
        all?.try_into().ok()
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, words: &mut Vec<u32>) {
        self.0.put(words);
        self.1.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<(A, B)> {
        Some((A::take(words)?, B::take(words)?))
    }
}

impl Wire for Vec<u32> {
    fn put(&self, words: &mut Vec<u32>) {
        (self.len() as u64).put(words);
        words.extend_from_slice(self);
    }

    fn take(words: &mut &[u32]) -> Option<Vec<u32>> {
        let count = u64::take(words)? as usize;
        let (own, rest) = words.split_at_checked(count)?;
        *words = rest;
        Some(own.to_vec())
    }
}

impl Wire for String {
    fn put(&self, words: &mut Vec<u32>) {
        (self.len() as u64).put(words);
        let word = |bytes: &[u8]| {
            let mut all = [0; 4];
            all[..bytes.len()].copy_from_slice(bytes);
            u32::from_le_bytes(all)
        };
        words.extend(self.as_bytes().chunks(4).map(word));
    }

    fn take(words: &mut &[u32]) -> Option<String> {
        let bytes = u64::take(words)? as usize;
        let (own, rest) = words.split_at_checked(bytes.div_ceil(4))?;
        *words = rest;
        let mut all: Vec<u8> = own.iter().flat_map(|word| word.to_le_bytes()).collect();
        all.truncate(bytes);
        String::from_utf8(all).ok()
    }
}

impl Wire for Engine {
    fn put(&self, words: &mut Vec<u32>) {
        let all = Engine::all();
        let place = all.iter().position(|engine| engine == self);
        (place.unwrap_or_default() as u32).put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Engine> {
        Engine::all().get(u32::take(words)? as usize).copied()
    }
}

impl Engine {
    fn all() -> [Engine; 6] {
        [
            Engine::Auto,
            Engine::Native,
            Engine::Reference,
            Engine::Interpreter,
            Engine::Epoch,
            Engine::Specialized,
        ]
    }
}

impl Wire for TrapRecord {
    fn put(&self, words: &mut Vec<u32>) {
        words.extend([self.vm, self.site]);
        self.words.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<TrapRecord> {
        let [vm, site] = <[u32; 2]>::take(words)?;
        let words = <[u32; 4]>::take(words)?;
        Some(TrapRecord { vm, site, words })
    }
}

impl Wire for Tally {
    fn put(&self, words: &mut Vec<u32>) {
        let counts = [self.running, self.yielded, self.blocked, self.halted, self.trapped];
        counts.put(words);
        [self.at_breakpoint, self.steps].put(words);
        self.retired.put(words);
        self.batches.put(words);
        [self.epochs, self.left_after].put(words);
        self.device_time.put(words);
        self.engine.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Tally> {
        let [running, yielded, blocked, halted, trapped] = <[u32; 5]>::take(words)?;
        let [at_breakpoint, steps] = <[u32; 2]>::take(words)?;
        let retired = Wire::take(words)?;
        let batches = u64::take(words)?;
        let [epochs, left_after] = <[Option<u64>; 2]>::take(words)?;
        Some(Tally {
            running,
            yielded,
            blocked,
            halted,
            trapped,
            at_breakpoint,
            steps,
            retired,
            batches,
            epochs,
            device_time: Wire::take(words)?,
            engine: Engine::take(words)?,
            left_after,
        })
    }
}

impl Wire for Image {
    fn put(&self, words: &mut Vec<u32>) {
        [&self.records, &self.extras, &self.frames]
            .iter()
            .for_each(|part| part.put(words));
    }

    fn take(words: &mut &[u32]) -> Option<Image> {
        let [records, extras, frames] = <[Vec<u32>; 3]>::take(words)?;
        Some(Image {
            records,
            extras,
            frames,
        })
    }
}

impl Wire for Vm {
    fn put(&self, words: &mut Vec<u32>) {
        self.state.put(words);
        self.frame.put(words);
        [self.frame_base, self.calls].put(words);
        self.trap.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Vm> {
        let state = Wire::take(words)?;
        let frame = Vec::take(words)?;
        let [frame_base, calls] = <[u32; 2]>::take(words)?;
        Some(Vm {
            state,
            frame,
            frame_base,
            calls,
            trap: Wire::take(words)?,
        })
    }
}

impl Wire for Kept {
    fn put(&self, words: &mut Vec<u32>) {
        self.count.put(words);
        self.device_time.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Kept> {
        Some(Kept {
            count: u32::take(words)?,
            device_time: Wire::take(words)?,
        })
    }
}

impl Wire for Memory {
    fn put(&self, words: &mut Vec<u32>) {
        self.arena.put(words);
        self.atomics.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Memory> {
        let [arena, atomics] = <[Vec<u32>; 2]>::take(words)?;
        Some(Memory { arena, atomics })
    }
}

impl Wire for Finished {
    fn put(&self, words: &mut Vec<u32>) {
        (self.changed.len() as u64).put(words);
        words.extend_from_slice(&self.changed);
        self.atomics.put(words);
        self.first_trap.put(words);
        self.trapped.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Finished> {
        Some(Finished {
            changed: Vec::take(words)?.into(),
            atomics: Vec::take(words)?,
            first_trap: Wire::take(words)?,
            trapped: Wire::take(words)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use gpuvm_core::isa::STATE_WORDS;

    use super::*;

    fn back<T: Wire>(value: &T) -> T {
        let mut words = Vec::new();
        value.put(&mut words);
        for cut in 0..words.len() {
            assert!(T::take(&mut &words[..cut]).is_none(), "{cut} of {} words", words.len());
        }
        let mut rest = &words[..];
        let value = T::take(&mut rest).unwrap();
        assert!(rest.is_empty());
        value
    }

    #[test]
    fn what_is_told_arrives() {
        for text in ["", "a", "abcd", "über"] {
            assert_eq!(back(&text.to_string()), text);
        }
        let tally = Tally {
            running: 1,
            yielded: 2,
            blocked: 3,
            halted: 4,
            trapped: 5,
            at_breakpoint: 6,
            steps: 7,
            retired: Some([8, 9, 10, u64::MAX]),
            batches: 11,
            epochs: None,
            device_time: Some(Duration::from_nanos(12)),
            engine: Engine::Specialized,
            left_after: Some(13),
        };
        assert_eq!(back(&tally), tally);
        let trap = TrapRecord {
            vm: 1,
            site: 2,
            words: [3, 4, 5, 6],
        };
        let vm = Vm {
            state: [7; STATE_WORDS],
            frame: vec![8, 9],
            frame_base: 10,
            calls: 11,
            trap: Some(trap),
        };
        let again = back(&vm);
        assert_eq!(
            (again.state, again.frame, again.frame_base, again.calls, again.trap),
            (vm.state, vm.frame, vm.frame_base, vm.calls, vm.trap)
        );
        let finished = back(&Finished {
            changed: vec![1, 2, 3].into(),
            atomics: vec![4],
            first_trap: None,
            trapped: vec![5, 6],
        });
        assert_eq!(
            (
                &*finished.changed,
                &*finished.atomics,
                finished.first_trap,
                &*finished.trapped
            ),
            (&[1, 2, 3][..], &[4][..], None, &[5, 6][..])
        );
    }
}
