//! Frame memory that grows with what VMs reach: a launch begins with room for a few calls, and VMs that have no room for another one stop
//! in front of it until the session has made some.

use std::sync::Arc;

use gpuvm_core::isa::Op;
use gpuvm_core::program::Program;
use gpuvm_engine::{EXTRA_WORDS, Error, Image, Job, Result, room};
use rayon::prelude::*;

use super::super::layout::signal;
use super::super::memory::{WORD, size};
use super::super::pace::Experience;
use super::super::pool::Kind;
use super::Session;

/// A launch begins with room for so many calls in each other.
const FIRST_CALLS: u32 = 4;
/// But not with fewer words a VM, if it can need more.
const FEW_WORDS: u32 = 256;
/// How many times as many words a VM likely comes to need, in programs that may need more.
const LIKELY: u32 = 8;
/// A launch begins with what the last one came to need if that is at most so many words for all VMs: half of what any device binds.
const MUCH: u64 = 1 << 24;

/// The words of frame memory that each VM of a job begins with.
pub fn first_words(job: &Job, experience: &Experience) -> u32 {
    let first = least_words(&job.program);
    let known = experience.frame_words().min(job.program.frame_words);
    match u64::from(known) * u64::from(job.vms) <= MUCH {
        true => first.max(known),
        false => first,
    }
}

/// The words that each VM of a program likely comes to need at most.
pub fn likely_words(program: &Program) -> u32 {
    least_words(program).saturating_mul(LIKELY).min(program.frame_words)
}

fn least_words(program: &Program) -> u32 {
    match program.frame_words <= FEW_WORDS {
        true => program.frame_words,
        false => program
            .frame_words_of(FIRST_CALLS)
            .max(FEW_WORDS)
            .min(program.frame_words),
    }
}

/// The words of its frame memory that any VM of an image uses.
pub fn words_in(program: &Program, image: &Image) -> u32 {
    let calls = program
        .code
        .iter()
        .filter(|instruction| instruction.opcode == Op::Call.code());
    let callee = calls.map(|call| call.operands[2]).max().unwrap_or(program.frame_words);
    let bases = image.extras.chunks_exact(EXTRA_WORDS).map(|extras| extras[0]);
    let reached = bases.max().unwrap_or(0).saturating_add(callee);
    let most = program.frame_words as usize;
    let used = |frame: &[u32]| frame.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
    let written = image.frames.par_chunks_exact(most.max(1)).map(used).max().unwrap_or(0);
    let first = program.frame_words_of(1);
    reached.max(written as u32).max(first).min(program.frame_words)
}

/// Records of so many words as records of another number, shorter ones by what is at their end, longer ones with zeros.
pub fn with_stride(records: Vec<u32>, from: usize, to: usize) -> Vec<u32> {
    if from == to || from == 0 {
        return records;
    }
    let mut out = vec![0; records.len() / from * to];
    let pairs = out.par_chunks_exact_mut(to.max(1)).zip(records.par_chunks_exact(from));
    let both = from.min(to);
    pairs.for_each(|(to, from)| to[..both].copy_from_slice(&from[..both]));
    out
}

impl Session {
    /// Whether VMs stand in front of calls for which they have no room.
    pub(super) fn lacks_room(&self) -> bool {
        self.seen[signal::FRAME_WORDS] > self.buffers.frame_words
    }

    /// Makes the room that VMs were without, and what so many instructions more can come to need if none of them is to stop for room.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the device has none.
    pub(super) fn make_room(&mut self, exact: Option<u64>) -> Result<()> {
        let (have, most) = (self.buffers.frame_words, self.job.program.frame_words);
        if have == most {
            return Ok(());
        }
        let wanted = match exact {
            Some(cycles) => {
                let calls = u32::try_from(self.ordered + cycles).unwrap_or(u32::MAX);
                let more = self.job.program.frame_words_of(calls.max(FIRST_CALLS));
                self.framed.saturating_add(more).min(most)
            }
            None => 0,
        };
        if wanted > have {
            return self.give_room(wanted);
        }
        if self.lacks_room() {
            let wanted = self.seen[signal::FRAME_WORDS].min(most);
            let ample = have.saturating_mul(2).clamp(wanted, most);
            return match self.give_room(ample) {
                Err(Error::OutOfMemory { .. }) if wanted < ample => self.give_room(wanted),
                other => other,
            };
        }
        Ok(())
    }

    /// Gives each VM so many words of frame memory, more than it has.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the device has no room for that.
    pub(super) fn give_room(&mut self, words: u32) -> Result<()> {
        let gpu = self.gpu.clone();
        let vms = u64::from(self.job.vms);
        let (before, after) = (u64::from(self.buffers.frame_words) * vms, u64::from(words) * vms);
        let limits = &gpu.limits;
        let bytes = size(after);
        let what = || {
            let (name, depth) = (&self.job.program.name, self.seen[signal::DEPTH]);
            format!(
                "the frames of {vms} VMs of `{name}`, {words} words each, {depth} calls deep: `.depth(n)` of the launch bounds how deep they \
                 go, and fewer VMs at a time take less"
            )
        };
        if bytes > limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) {
            return Err(Error::OutOfMemory {
                reason: format!("a buffer of the device has no room for {}", what()),
            });
        }
        if gpu.software {
            room::check(after as usize, WORD as usize, what)?;
        }
        let taken = gpu.allocating(|_| gpu.pool.take(Kind::Storage, bytes));
        let frames = taken.map_err(|error| match error {
            Error::OutOfMemory { .. } => Error::OutOfMemory {
                reason: format!("the device has no room for {}", what()),
            },
            other => other,
        })?;
        // VMs that have not started find zeros anyway.
        if !self.fresh {
            gpu.guarded(|device| {
                let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                if before > 0 {
                    encoder.copy_buffer_to_buffer(&self.buffers.frames, 0, &frames, 0, before * WORD);
                }
                encoder.clear_buffer(&frames, before * WORD, None);
                gpu.queue.submit([encoder.finish()])
            })?;
        }
        self.buffers.frames = Arc::new(frames);
        self.buffers.frame_words = words;
        self.bound = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::control::sums;

    #[test]
    fn records_get_another_length() {
        let records = vec![1, 2, 3, 4, 5, 6];
        assert_eq!(with_stride(records.clone(), 3, 2), [1, 2, 4, 5]);
        assert_eq!(with_stride(records.clone(), 2, 3), [1, 2, 0, 3, 4, 0, 5, 6, 0]);
        assert_eq!(with_stride(records.clone(), 3, 3), records);
    }

    #[test]
    fn a_launch_begins_with_a_few_calls() {
        let program = sums(9);
        assert_eq!(program.frame_words, 16_846);
        assert_eq!(least_words(&program), FEW_WORDS);
        assert_eq!(program.frame_words_of(FIRST_CALLS), 210);
        assert_eq!(program.frame_words_of(u32::MAX), 16_846);
        assert_eq!(likely_words(&program), LIKELY * FEW_WORDS);
    }
}
