//! Sequences of jobs on a team: on its first device, as fast as that alone, until jobs take so long that they are worth several.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gpuvm_core::program::Program;

use super::cut::Cut;
use super::memory::TeamMemory;
use super::running::Alone;
use super::{Bits, place};
use crate::error::Result;
use crate::{Job, Sequence, SequenceEnd, Source, Tiles};

/// A sequence on the first device.
pub(super) struct TeamSequence {
    inner: Box<dyn Sequence>,
    member: usize,
    bits: Bits,
    memory: Arc<TeamMemory>,
    /// The jobs that can be cut, and how many there are in all.
    pushed: Vec<(Arc<Program>, u32)>,
    jobs: u32,
}

impl TeamSequence {
    pub fn new(inner: Box<dyn Sequence>, (member, bits): (usize, Bits), memory: Arc<TeamMemory>) -> TeamSequence {
        TeamSequence {
            inner,
            member,
            bits,
            memory,
            pushed: Vec::new(),
            jobs: 0,
        }
    }
}

impl Sequence for TeamSequence {
    fn push(&mut self, mut job: Job, arena: &dyn Source) -> Result<bool> {
        let (group, shares) = (&self.memory.group, &self.memory.group.shares);
        let can_cut = Cut::is_possible(&job) && self.bits.are_same(&job);
        let work = can_cut.then(|| (Arc::clone(&job.program), job.vm_count));
        if let Some((program, vms)) = &work
            && shares.is_worth_it(program, *vms)
        {
            return Ok(false);
        }
        place(&mut job, &self.memory, self.member)?;
        let is_pushed = group.of(self.member, self.inner.push(job, arena))?;
        if is_pushed {
            self.pushed.extend(work);
            self.jobs += 1;
        }
        Ok(is_pushed)
    }

    fn has_tiles(&self) -> bool {
        self.inner.has_tiles()
    }

    fn takes_tiles(&mut self, program: &Arc<Program>, tiles: &Tiles) -> Result<bool> {
        self.inner.takes_tiles(program, tiles)
    }

    fn flush(&mut self) -> Result<()> {
        self.memory.group.of(self.member, self.inner.flush())
    }

    fn wait(&mut self) -> Result<SequenceEnd> {
        let begin = Instant::now();
        let end = self.memory.group.of(self.member, self.inner.wait())?;
        let SequenceEnd { tally, stopped } = end;
        // What one job took is known of all together.
        let time = tally.device_time.unwrap_or_else(|| begin.elapsed()) / self.jobs.max(1);
        for (program, vms) in self.pushed.drain(..) {
            self.memory.group.shares.see_alone((&program, vms), 1, time);
        }
        self.jobs = 0;
        let stopped = stopped.map(|(number, running)| {
            let running = Alone {
                running,
                member: self.member,
                group: Arc::clone(&self.memory.group),
                work: None,
                jobs: 1,
                time: Duration::ZERO,
            };
            (number, Box::new(running) as _)
        });
        Ok(SequenceEnd { tally, stopped })
    }
}
