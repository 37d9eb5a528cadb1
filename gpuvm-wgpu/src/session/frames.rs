//! Frame memory that grows with what VMs reach: a launch begins with room for a few calls, and VMs that have no room for another one stop
//! in front of it until the session has made some.

use std::sync::Arc;

use gpuvm_core::isa::CALL_FRAME_WORDS;
use gpuvm_core::program::Program;
use gpuvm_engine::{EXTRA_WORDS, Error, Image, Job, Result, room};
use gpuvm_shaders::layout::signal;
use rayon::prelude::*;

use super::super::frame_room::FrameRoom;
use super::super::memory::{WORD, size};
use super::super::pace::Experience;
use super::super::pool::Kind;
use super::Session;

/// A launch begins with what the last one came to need if that is at most so many words for all VMs: half of what any device binds.
const MUCH: u64 = 1 << 24;

/// What each VM of a job begins with.
pub fn first_room(job: &Job, experience: &Experience) -> FrameRoom {
    let first = FrameRoom::first(&job.program);
    let known = first.and(experience.room()).within(FrameRoom::whole(&job.program));
    match u64::from(known.all_words()) * u64::from(job.vms) <= MUCH {
        true => known,
        false => first,
    }
}

/// The room that any VM of an image uses.
pub fn room_in(program: &Program, image: &Image) -> FrameRoom {
    let whole = FrameRoom::whole(program);
    let extras = || image.extras.chunks_exact(EXTRA_WORDS);
    let reached = FrameRoom {
        calls: extras().map(|extras| extras[1]).max().unwrap_or(0),
        words: (extras().map(|extras| extras[0]).max().unwrap_or(0)).saturating_add(program.callee_words()),
    };
    let used = |words: &[u32]| {
        words
            .iter()
            .rposition(|word| *word != 0)
            .map_or(0, |last| last as u32 + 1)
    };
    let frames = image.frames.par_chunks_exact((whole.all_words() as usize).max(1));
    let written = frames.map(|memory| {
        let (calls, words) = memory.split_at(whole.call_words() as usize);
        FrameRoom {
            calls: used(calls).div_ceil(CALL_FRAME_WORDS as u32),
            words: used(words),
        }
    });
    let written = written.reduce(FrameRoom::default, FrameRoom::and);
    reached.and(written).and(FrameRoom::for_calls(program, 1)).within(whole)
}

/// Frame memories with some room as such with another: without what is at the ends, or with zeros there.
pub fn with_room(memories: Vec<u32>, from: FrameRoom, to: FrameRoom) -> Vec<u32> {
    if from == to || from.all_words() == 0 {
        return memories;
    }
    let (old, new) = (from.all_words() as usize, to.all_words() as usize);
    let mut out = vec![0; memories.len() / old * new];
    let pairs = out.par_chunks_exact_mut(new.max(1)).zip(memories.par_chunks_exact(old));
    pairs.for_each(|(to_memory, from_memory)| copy(from_memory, from, to_memory, to));
    out
}

/// Copies one VM's frame memory.
fn copy(memory: &[u32], from: FrameRoom, target: &mut [u32], to: FrameRoom) {
    let (from_calls, from_words) = memory.split_at(from.call_words() as usize);
    let (to_calls, to_words) = target.split_at_mut(to.call_words() as usize);
    for (to, from) in [(to_calls, from_calls), (to_words, from_words)] {
        let both = from.len().min(to.len());
        to[..both].copy_from_slice(&from[..both]);
    }
}

impl Session {
    /// The room that VMs have wanted and not had, if there are any.
    fn wanted(&self) -> FrameRoom {
        FrameRoom {
            calls: self.seen[signal::CALLS],
            words: self.seen[signal::FRAME_WORDS],
        }
        .within(FrameRoom::whole(&self.job.program))
    }

    /// Whether VMs stand in front of calls for which they have no room.
    pub(super) fn lacks_room(&self) -> bool {
        self.wanted().exceeds(self.buffers.room)
    }

    /// Makes the room that VMs were without, and what so many instructions more can come to need if none of them is to stop for room.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the device has none.
    pub(super) fn make_room(&mut self, exact: Option<u64>) -> Result<()> {
        let (have, whole) = (self.buffers.room, FrameRoom::whole(&self.job.program));
        if have == whole {
            return Ok(());
        }
        if let Some(cycles) = exact {
            let calls = u32::try_from(self.ordered + cycles).unwrap_or(u32::MAX);
            let reached = self.framed.plus(FrameRoom::for_calls(&self.job.program, calls));
            let wanted = reached.within(whole);
            if wanted.exceeds(have) {
                return self.give_room(have.and(wanted));
            }
        }
        if self.lacks_room() {
            let wanted = have.and(self.wanted());
            let twice = |have: u32, wanted: u32| {
                if wanted > have {
                    wanted.max(have.saturating_mul(2))
                } else {
                    have
                }
            };
            let ample = FrameRoom {
                calls: twice(have.calls, wanted.calls),
                words: twice(have.words, wanted.words),
            }
            .within(whole);
            return match self.give_room(ample) {
                Err(Error::OutOfMemory { .. }) if wanted != ample => self.give_room(wanted),
                other => other,
            };
        }
        Ok(())
    }

    /// How many VMs there is likely room for at a time, if there was none for what they have come to need: as much for all of them as they have, if
    /// none needs more than twice what was refused.
    pub(super) fn fitting(&self) -> Option<u32> {
        let need = self.refused?.times(2).within(FrameRoom::whole(&self.job.program));
        let all = u64::from(self.job.vms) * u64::from(self.buffers.room.all_words());
        let fitting = all / u64::from(need.all_words().max(1));
        Some(fitting.clamp(1, u64::from(self.job.vms / 2).max(1)) as u32)
    }

    /// Gives each VM more room than it has.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the device has no memory for that.
    pub(super) fn give_room(&mut self, room: FrameRoom) -> Result<()> {
        let given = self.exchange_frames(room);
        self.refused = matches!(given, Err(Error::OutOfMemory { .. })).then_some(room);
        given
    }

    fn exchange_frames(&mut self, room: FrameRoom) -> Result<()> {
        let gpu = self.gpu.clone();
        let vms = u64::from(self.job.vms);
        let had = self.buffers.room;
        let words = u64::from(room.all_words()) * vms;
        let what = || {
            let (name, depth) = (&self.job.program.name, self.seen[signal::CALLS].max(1) - 1);
            format!(
                "the frames of {vms} VMs of `{name}`, {} words each, {depth} calls deep: `.depth(n)` of the launch bounds how deep they go, and \
                 fewer VMs at a time take less",
                room.all_words()
            )
        };
        let limits = &gpu.limits;
        if size(words) > limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) {
            return Err(Error::OutOfMemory {
                reason: format!("a buffer of the device has no room for {}", what()),
            });
        }
        if gpu.software {
            room::check(words as usize, WORD as usize, what)?;
        }
        let taken = gpu.allocating(|_| gpu.pool.take(Kind::Storage, size(words)));
        let frames = taken.map_err(|error| match error {
            Error::OutOfMemory { .. } => Error::OutOfMemory {
                reason: format!("the device has no room for {}", what()),
            },
            other => other,
        })?;
        // VMs that have not started find zeros anyway.
        if !self.fresh {
            let rows = |words: u32| u64::from(words) * vms * WORD;
            gpu.guarded(|device| {
                let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                encoder.clear_buffer(&frames, 0, None);
                let moved = [
                    (0, 0, had.call_words()),
                    (had.call_words(), room.call_words(), had.words),
                ];
                for (from, to, words) in moved.into_iter().filter(|(.., words)| *words > 0) {
                    encoder.copy_buffer_to_buffer(&self.buffers.frames, rows(from), &frames, rows(to), rows(words));
                }
                gpu.queue.submit([encoder.finish()])
            })?;
        }
        self.buffers.frames = Arc::new(frames);
        self.buffers.room = room;
        self.bound = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_memories_get_other_room() {
        let [small, large] = [(1, 2), (2, 3)].map(|(calls, words)| FrameRoom { calls, words });
        let memories: Vec<u32> = (1..=20).collect();
        let mut grown: Vec<u32> = (1..=8).collect();
        grown.extend([0; 8]);
        grown.extend([9, 10, 0]);
        grown.extend(11..=18);
        grown.extend([0; 8]);
        grown.extend([19, 20, 0]);
        assert_eq!(with_room(memories.clone(), small, large), grown);
        assert_eq!(with_room(grown, large, small), memories);
        assert_eq!(with_room(memories.clone(), small, small), memories);
    }
}
