//! The reference engine: the interpreter of `gpuvm-core`, one VM after the other on the calling thread. It is slow and it is
//! right: the other engines are tested against it.

use std::time::Instant;

use gpuvm_core::interp::{self, Vm};
use gpuvm_core::program::{Program, Status};

use crate::engine::{
    Demand, EXTRA_WORDS, Engine, Execute, Finished, Image, Job, Limit, Memory, Running, Span, Tally, fault,
};
use crate::error::Result;

/// The engine. It has no state.
pub(crate) struct Reference;

/// VMs at a time, so that their frames stay within a few megabytes.
const BATCH: u32 = 1 << 16;

/// Instructions of a VM between two looks at the clock.
const SLICE: u64 = 4096;

impl Execute for Reference {
    fn capacity(&self, _program: &Program, demand: &Demand) -> u32 {
        demand.vms_within(u64::from(u32::MAX)).min(BATCH)
    }

    fn start(&self, job: Job) -> Result<Box<dyn Running>> {
        let mut run = Run {
            vms: Vec::new(),
            tally: Tally {
                running: job.vms,
                retired: Some([0; 4]),
                engine: Engine::Reference,
                ..Tally::default()
            },
            job,
        };
        run.begin_step();
        Ok(Box::new(run))
    }
}

/// A job with its VMs.
struct Run {
    job: Job,
    vms: Vec<Vm>,
    tally: Tally,
}

impl Run {
    /// Puts all VMs to the entry.
    fn begin_step(&mut self) {
        for copy in &self.job.copies {
            let start = |span: &Span| span.start as usize;
            let from = start(&copy.from)..start(&copy.from) + copy.words as usize;
            self.job.arena.copy_within(from, start(&copy.to));
        }
        let Job { first_vm, vms, .. } = self.job;
        self.vms = (0..vms).map(|i| Vm::new(&self.job.program, first_vm + i)).collect();
    }

    /// Runs every running VM for some instructions.
    fn run(&mut self, cycles: u64, breakpoints: &[u32]) {
        let job = &mut self.job;
        // The job's slots count VMs from the launch's first.
        let slots: Vec<_> = job.slots.iter().map(|slot| slot.place).collect();
        let mut memory = interp::Memory {
            arena: &mut job.arena,
            atomics: &mut job.atomics,
            params: &slots,
            vm_count: job.vm_count,
            first_vm: 0,
        };
        let retired = self.tally.retired.get_or_insert([0; 4]);
        for vm in &mut self.vms {
            let _ = breakpoints;
            vm.run(&job.program, &mut memory, Some(cycles), retired);
        }
    }

    fn count(&mut self) {
        let count = |status| self.vms.iter().filter(|vm| vm.status() == status).count() as u32;
        self.tally.running = count(Status::Running);
        self.tally.yielded = count(Status::Yielded);
        self.tally.blocked = count(Status::Blocked);
        self.tally.halted = count(Status::Halted);
        self.tally.trapped = count(Status::Trapped);
    }
}

impl Running for Run {
    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        let begin = Instant::now();
        self.vms.iter_mut().for_each(Vm::resume);
        let mut left = limit.cycles.unwrap_or(u64::MAX);
        loop {
            let cycles = left.min(SLICE);
            self.run(cycles, &limit.breakpoints);
            self.tally.batches += 1;
            left -= cycles;
            self.count();
            watch(&self.tally);
            if self.tally.halted == self.job.vms && self.tally.steps < self.job.steps {
                self.tally.steps += 1;
                if self.tally.steps < self.job.steps {
                    self.begin_step();
                    self.count();
                }
            }
            let timed_out = limit.time.is_some_and(|time| begin.elapsed() >= time);
            if self.tally.running == 0 || left == 0 || timed_out {
                return Ok(self.tally.clone());
            }
        }
    }

    fn image(&mut self) -> Result<Image> {
        let mut image = Image::default();
        let call_stack = gpuvm_core::isa::CALL_FRAME_WORDS as u32 * self.job.program.call_depth;
        for vm in &self.vms {
            image.records.extend(vm.state);
            let (fault, offset) = match vm.trap {
                Some(trap) if trap.site == interp::MEMORY_SITE => (fault::MEMORY, trap.words[1]),
                Some(trap) if trap.site == interp::STACK_SITE => (fault::STACK, 0),
                _ => (fault::NONE, 0),
            };
            let extras: [u32; EXTRA_WORDS] = [vm.frame_base.wrapping_sub(call_stack), vm.calls, fault, offset];
            image.extras.extend(extras);
            image.frames.extend(&vm.frame);
        }
        Ok(image)
    }

    fn restore(&mut self, _image: &Image) -> Result<()> {
        Ok(())
    }

    fn vm(&mut self, index: u32) -> Result<Vm> {
        Ok(self.vms[index as usize].clone())
    }

    fn memory(&mut self) -> Result<Memory> {
        Ok(Memory {
            arena: self.job.arena.clone(),
            atomics: self.job.atomics.clone(),
        })
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        let first_trap = self.vms.iter().filter_map(|vm| vm.trap).min_by_key(|trap| trap.vm);
        Ok(Finished {
            memory: Memory {
                arena: self.job.arena,
                atomics: self.job.atomics,
            },
            first_trap,
        })
    }
}
