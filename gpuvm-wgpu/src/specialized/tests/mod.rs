//! Specialised programs against the reference interpreter, run to their ends in dispatches of any length, on whatever device is here.

mod choices;
mod composed;
mod control;
mod counted;
mod first_traps;
mod joined;
mod operations;
mod ptx;
mod random;
mod rows;
mod sessions;
mod several;
mod sizes;
mod subslices;
mod workloads;

use std::sync::Arc;

use gpuvm_core::assembly::assemble;
use gpuvm_core::program::{Program, TrapRecord};
use gpuvm_core::specialise::{KnownParam, KnownParams};
use gpuvm_engine::{Job, Limit, Result, Running, Source};
use gpuvm_pool::{Lease, Pool};

use super::emit::Start;
use super::engine::Prepared;
use super::kernel::{Readiness, Shader, SpecializedKernel};
use super::options::Options;
use crate::gpu::Gpu;
use crate::interpreter::Interpreter;
use crate::session::Session;
use crate::specialized::Specialized;
use crate::stepper::{Need, Reach, Schedule, Scheduler, Stepper};
use crate::tests::{Batch, adapter, is_nan, job, reference, without_memory};

/// The device of this test.
fn device() -> &'static Arc<Gpu> {
    static DEVICES: Pool<Arc<Gpu>> = Pool::new();
    thread_local! {
        static LEASE: Lease<Arc<Gpu>> = DEVICES.lease(|| Arc::new(Gpu::open(adapter(), 0).unwrap()));
    }
    LEASE.with(Lease::value)
}

/// The engine on that device.
fn engine() -> Specialized {
    Specialized::new(device().clone(), Interpreter::new(device().clone()))
}

/// What a job came to: how many VMs trapped, and the first of them.
type End = (u64, Option<TrapRecord>);

/// Sessions on one kernel, in short dispatches.
#[derive(Clone)]
struct Always(Arc<Prepared>);

impl Scheduler for Always {
    fn gpu(&self) -> &Arc<Gpu> {
        device()
    }

    fn schedule(&self, _: &Job, _: &dyn Source) -> Result<Box<dyn Schedule>> {
        Ok(Box::new(self.clone()))
    }

    fn schedule_begun(&self, _: &Job, _: &dyn Stepper) -> Result<Box<dyn Schedule>> {
        Ok(Box::new(self.clone()))
    }

    fn stepper(&self, _: &Job) -> Result<Arc<dyn Stepper>> {
        Ok(self.0.clone())
    }
}

impl Schedule for Always {
    fn stepper(&mut self, _: &Need<'_>) -> Result<Arc<dyn Stepper>> {
        Ok(self.0.clone())
    }
}

/// Begins a job in dispatches of so many cycles.
fn begin(job: &Batch, options: &Options, cycles: u32) -> Box<dyn Running> {
    let gpu = device();
    let kernel = SpecializedKernel::new(gpu, &(&job.program).into(), options, Readiness::Whole).unwrap();
    let reach = Reach {
        cycles,
        dispatches: 5,
        inner: 0,
    };
    let prepared = Prepared {
        kernel: Arc::new(kernel),
        reach,
    };
    let always = Always(Arc::new(prepared));
    Session::start(&always, job.job.clone(), &job.arena.as_slice()).unwrap()
}

/// Runs a job in dispatches of so many cycles; its memory is changed.
fn run(job: &mut Batch, options: &Options, cycles: u32) -> End {
    let mut running = begin(job, options, cycles);
    let mut advances = 0;
    let tally = loop {
        let tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
        advances += 1;
        assert!(advances < 1000, "{tally:?}");
        if tally.running + tally.yielded == 0 {
            break tally;
        }
    };
    assert_eq!(tally.halted + tally.trapped, job.vms);
    let finished = running.finish().unwrap();
    let first_trap = finished.first_trap;
    job.take(finished);
    (tally.trapped.into(), first_trap)
}

/// Runs a job by the reference and specialised, in dispatches of each of the given lengths, and checks that memory and traps are
/// the same. Gives the memory.
fn check_with(job: &Batch, options: &Options, cycles: &[u32]) -> Batch {
    let mut expected = job.clone();
    let wanted = reference(&mut expected);
    for (i, &cycles) in cycles.iter().enumerate() {
        let mut found = job.clone();
        // Both ways to trap take turns, as long as the device knows them.
        let software = device().software && i % 2 == 0;
        let options = Options {
            software,
            cuda: !software && i % 4 != 0,
            several: !software,
            first_trap: !software && job.only_first_trap,
            floats: device().floats,
            ..options.clone()
        };
        let (traps, first) = run(&mut found, &options, cycles);
        assert_eq!((traps, first), (wanted.traps, wanted.first_trap), "{cycles} cycles");
        assert_eq!(found.atomics, expected.atomics, "{cycles} cycles");
        let differs = (0..found.arena.len()).find(|&at| {
            let (a, b) = (found.arena[at], expected.arena[at]);
            a != b && !(is_nan(a) && is_nan(b))
        });
        if let Some(at) = differs {
            panic!(
                "with {cycles} cycles word {at} is {:#x} and not {:#x}",
                found.arena[at], expected.arena[at]
            );
        }
    }
    expected
}

fn check(job: &Batch) -> Batch {
    check_with(job, &Options::default(), &[1000])
}

/// Code in which w10 is the VM's result.
fn assembled(header: &str, code: &str) -> Program {
    let text = format!(
        "{header}\nparam u32\nresult u32\ncode\n{code}\nfinish:\nimm w0, 1\nparam w1, 1\nstore w10, w0, w1, 0\nhalt\n"
    );
    assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What the fresh shader of a program looks like.
fn shown(program: &Program, start: Start) -> String {
    shown_with(program, &Options::default(), start)
}

fn shown_with(program: &Program, options: &Options, start: Start) -> String {
    let shader = Shader::new(program, options, start).unwrap();
    naga::back::wgsl::write_string(&shader.module, &shader.info, naga::back::wgsl::WriterFlags::empty()).unwrap()
}
