//! The reference engine: the interpreter of `gpuvm-core`, one VM after the other on the calling thread. It is slow and it is
//! right: the other engines are tested against it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use gpuvm_core::interp::{self, Vm};
use gpuvm_core::program::{ParamSlot, Program, Status};

use crate::error::{Error, Result};
use crate::{
    Copy, Demand, Engine, Execute, Finished, Image, Job, Limit, Memory, Ran, ResidentKernel, Running, Slot, Source,
    StopAt, Tally, room,
};

/// The engine. It has no state.
pub struct Reference;

/// VMs at a time.
const BATCH: u32 = 1 << 16;
/// Words of all their frames together. Of them the operating system gives what is reached, but each large frame is a mapping of its own, of
/// which it gives so many.
const FRAMES: u32 = 1 << 26;

/// Instructions of a VM that a job of a program that stays gets before it is handed back as it stands.
const STAY: u64 = 1 << 16;
/// Instructions of a VM between two looks at the clock.
const SLICE: u64 = 4096;

impl Execute for Reference {
    fn capacity(&self, program: &Arc<Program>, demand: &Demand) -> u32 {
        let framed = (FRAMES / program.frame_memory().max(1)).clamp(1, BATCH);
        demand.vms_within(u64::from(u32::MAX)).min(framed)
    }

    fn start(&self, job: Job, source: &dyn Source) -> Result<Box<dyn Running>> {
        room::check(job.arena_words, 4, || {
            format!("the arguments and results of {} VMs of `{}`", job.vms, job.program.name)
        })?;
        let mut arena = vec![0; job.arena_words];
        source.write(0..source.words(), &mut arena[..source.words()]);
        let slots = job.slots.iter().map(|slot| slot.place).collect();
        let mut run = Run {
            vms: Vec::new(),
            standings: Vec::new(),
            tally: Tally {
                retired: Some([0; 4]),
                engine: Engine::Reference,
                ..Tally::default()
            },
            copied: false,
            slots,
            job,
            arena,
        };
        run.enter();
        Ok(Box::new(run))
    }

    /// Here nothing is launched, so that every program stays.
    fn resident(&self, _: &Arc<Program>) -> Result<Box<dyn ResidentKernel>> {
        Ok(Box::new(Reference))
    }
}

impl ResidentKernel for Reference {
    fn takes(&self, _: &Job) -> bool {
        true
    }

    fn run(&mut self, job: Job, arena: &dyn Source) -> Result<Ran> {
        let limit = Limit {
            cycles: Some(STAY),
            ..Limit::default()
        };
        let mut running = self.start(job, arena)?;
        let tally = running.advance(&limit, &mut |_| {})?;
        match tally.running + tally.yielded + tally.blocked + tally.trapped {
            0 => Ok(Ran::Halted(running.finish()?)),
            _ => Ok(Ran::Stands(running)),
        }
    }

    fn settle(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A job with its VMs.
struct Run {
    job: Job,
    arena: Vec<u32>,
    slots: Vec<ParamSlot>,
    vms: Vec<Vm>,
    /// Which VMs have reached a breakpoint during this advance.
    standings: Vec<Standing>,
    tally: Tally,
    /// Whether the copies before the step under way have been made.
    copied: bool,
}

/// Where a VM stands with regard to breakpoints.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    /// It has not run since the advance began, so it goes past a breakpoint that it stands at.
    Begin,
    /// It has run.
    Under,
    /// It is in front of a breakpoint.
    AtBreak,
}

impl Run {
    /// Puts all VMs to the entry.
    fn enter(&mut self) {
        let Job { first_vm, vms, .. } = self.job;
        self.vms = (0..vms).map(|i| Vm::new(&self.job.program, first_vm + i)).collect();
        self.standings = vec![Standing::Begin; vms as usize];
        self.copied = false;
        self.count();
    }

    /// Makes the copies before a step, when its first instruction is about to run.
    fn copy(&mut self) {
        if !std::mem::replace(&mut self.copied, true) {
            for Copy { from, to, words } in &self.job.copies {
                let from = from.start as usize..(from.start + words) as usize;
                self.arena.copy_within(from, to.start as usize);
            }
        }
    }

    /// Runs every running VM for some instructions, or up to a breakpoint.
    fn run(&mut self, cycles: u64, breakpoints: &[StopAt]) {
        let job = &mut self.job;
        // The job's slots count VMs from the launch's first.
        let mut memory = interp::Memory {
            arena: &mut self.arena,
            atomics: &mut job.atomics,
            params: &self.slots,
            vm_count: job.vm_count,
            first_vm: 0,
        };
        let retired = self.tally.retired.get_or_insert([0; 4]);
        for (vm, standing) in self.vms.iter_mut().zip(&mut self.standings) {
            if breakpoints.is_empty() {
                vm.run(&job.program, &mut memory, Some(cycles), retired);
                continue;
            }
            for _ in 0..cycles {
                let stops = |at: usize| {
                    let guard = breakpoints[at].guard.as_ref();
                    guard.is_none_or(|guard| guard.stops(vm, job.vm_count))
                };
                let here = breakpoints.binary_search_by_key(&vm.ip(), |stop| stop.instruction);
                if *standing != Standing::Begin && here.is_ok_and(stops) {
                    *standing = Standing::AtBreak;
                }
                if *standing == Standing::AtBreak || vm.status() != Status::Running {
                    break;
                }
                vm.run(&job.program, &mut memory, Some(1), retired);
                *standing = Standing::Under;
            }
        }
    }

    fn count(&mut self) {
        let count = |status| self.vms.iter().filter(|vm| vm.status() == status).count() as u32;
        self.tally.running = count(Status::Running);
        self.tally.yielded = count(Status::Yielded);
        self.tally.blocked = count(Status::Blocked);
        self.tally.halted = count(Status::Halted);
        self.tally.trapped = count(Status::Trapped);
        let at_break =
            |(vm, standing): &(&Vm, &Standing)| **standing == Standing::AtBreak && vm.status() == Status::Running;
        self.tally.at_breakpoint = self.vms.iter().zip(&self.standings).filter(at_break).count() as u32;
    }

    fn program(&self) -> &Program {
        &self.job.program
    }
}

impl Running for Run {
    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        let begin = Instant::now();
        self.vms.iter_mut().for_each(Vm::resume);
        self.standings.fill(match limit.stays {
            true => Standing::Under,
            false => Standing::Begin,
        });
        let mut left = limit.cycles.unwrap_or(u64::MAX);
        loop {
            let cycles = left.min(SLICE);
            self.copy();
            self.run(cycles, &limit.breakpoints);
            self.tally.batches += 1;
            left -= cycles;
            self.count();
            if self.tally.halted == self.job.vms && self.tally.steps < self.job.steps {
                self.tally.steps += 1;
                if self.tally.steps < self.job.steps {
                    self.enter();
                    // A breakpoint at the entry is one that this step's VMs reach.
                    self.standings.fill(Standing::Under);
                }
            }
            watch(&self.tally);
            let timed_out = limit.time.is_some_and(|time| begin.elapsed() >= time);
            if self.tally.running == self.tally.at_breakpoint || left == 0 || timed_out {
                let device_time = self.tally.device_time.unwrap_or_default();
                self.tally.device_time = Some(device_time + begin.elapsed());
                return Ok(self.tally.clone());
            }
        }
    }

    fn image(&mut self) -> Result<Image> {
        let mut image = Image::default();
        for vm in &self.vms {
            image.push(self.program(), vm);
        }
        Ok(image)
    }

    fn restore(&mut self, image: &Image) -> Result<()> {
        let vms: Option<Vec<Vm>> = (0..self.job.vms as usize)
            .map(|vm| image.vm(self.program(), vm))
            .collect();
        self.vms = vms
            .filter(|vms| vms.len() == image.vms())
            .ok_or_else(|| Error::Device {
                reason: format!("an image of {} VMs does not fit a job of {}", image.vms(), self.job.vms),
            })?;
        self.copied = true;
        self.count();
        Ok(())
    }

    fn vm(&mut self, index: u32) -> Result<Vm> {
        self.vms.get(index as usize).cloned().ok_or_else(|| Error::Device {
            reason: format!("a job of {} VMs has no VM {index}", self.job.vms),
        })
    }

    fn replace(&mut self, index: u32, vm: &Vm) -> Result<()> {
        if let Some(place) = self.vms.get_mut(index as usize) {
            place.clone_from(vm);
        }
        // The copies that its step begins with are not made once more.
        self.copied = true;
        self.count();
        Ok(())
    }

    fn first_trapped(&self) -> Option<u32> {
        let found = self.vms.iter().position(|vm| vm.trap.is_some());
        found.map(|index| index as u32)
    }

    fn slots(&self) -> &[Slot] {
        &self.job.slots
    }

    fn write_arena(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.arena[first..first + words.len()].copy_from_slice(words);
        Ok(())
    }

    fn memory(&mut self) -> Result<Memory> {
        Ok(Memory {
            arena: self.arena.clone(),
            atomics: self.job.atomics.clone(),
        })
    }

    fn read_atomics(&mut self, words: Range<usize>) -> Result<Vec<u32>> {
        Ok(self.job.atomics[words].to_vec())
    }

    fn write_atomics(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.job.atomics[first..first + words.len()].copy_from_slice(words);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        let traps = || self.vms.iter().filter_map(|vm| vm.trap);
        let trapped = match self.job.all_traps {
            true => traps().map(|trap| trap.vm).collect(),
            false => Vec::new(),
        };
        let first_trap = traps().min_by_key(|trap| trap.vm);
        let changed = self
            .job
            .changed
            .iter()
            .flat_map(|range| &self.arena[range.clone()])
            .copied();
        Ok(Finished {
            changed: changed.collect::<Vec<_>>().into(),
            atomics: self.job.atomics,
            first_trap,
            trapped,
        })
    }
}
