//! The interpreter engine against the reference interpreter, on whatever device is here. A machine without any fails them.

pub(crate) mod control;
mod costs;
mod device;
pub(super) mod executed;
mod matrices;
pub(super) mod operations;
pub(super) mod ptx;
mod select;
mod sequence;
mod session;
mod sort;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use gpuvm_core::interp::{self, Memory, Vm};
use gpuvm_core::isa::{Instruction, NO_WORD, Op};
use gpuvm_core::matrix::{AffineMap, Format, pool::Store};
use gpuvm_core::program::{LinkedSite, ParamSlot, Program, SourceLoc, Status, TrapRecord};
use gpuvm_core::routine::Cause;
use gpuvm_core::types::TypeRef;
use gpuvm_engine::{Backend, Choice, Demand, Execute, Finished, Job, Limit, Opened, Result, Running, Slot};
use gpuvm_pool::{Lease, Pool};

use super::gpu::adapters;
use super::open;

/// The back end that these tests are for: wgpu's own devices, or CUDA's where the environment names them.
pub(super) fn backend() -> Backend {
    match std::env::var("GPUVM_BACKEND").as_deref() {
        Ok("cuda") => Backend::Cuda,
        _ => Backend::Wgpu,
    }
}

/// The best adapter of that back end.
pub(super) fn adapter() -> wgpu::Adapter {
    let adapters = adapters(backend()).unwrap_or_else(|reason| panic!("{reason}"));
    let best = adapters.into_iter().next();
    best.expect("these tests need a Vulkan adapter, `cargo xtask test` brings one")
}

/// The device of this test.
fn opened() -> &'static Opened {
    static DEVICES: Pool<Opened> = Pool::new();
    thread_local! {
        static LEASE: Lease<Opened> = DEVICES.lease(|| {
            open(backend(), Choice::Best)
                .unwrap_or_else(|error| panic!("these tests need a Vulkan adapter, `cargo xtask test` brings one: {error}"))
        });
    }
    LEASE.with(Lease::value)
}

/// Its engines.
fn engines() -> Vec<&'static dyn Execute> {
    opened().engines.iter().map(|(_, engine)| &**engine).collect()
}

pub(super) const SITE_PLACE: SourceLoc = SourceLoc {
    file: 0,
    line: 7,
    routine: 0,
};

/// How a job ended.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    pub first_trap: Option<TrapRecord>,
    pub traps: u64,
    pub retired: Option<[u64; 4]>,
}

/// A program of the given code, with one parameter, one trap site and 64 words of frame.
pub(crate) fn program(code: Vec<Instruction>, store: Store) -> Program {
    Program {
        name: "test".to_string(),
        params: vec![TypeRef::of::<u32>()],
        result: TypeRef::of::<u32>(),
        places: vec![SITE_PLACE; code.len()],
        code,
        files: vec!["test.rs".to_string()],
        routines: vec!["test".to_string()],
        matrices: store.records,
        pools: store.pools,
        data: Vec::new(),
        sites: vec![LinkedSite {
            place: SITE_PLACE,
            cause: Cause::Bounds,
        }],
        frame_words: 64,
        addressed_words: 64,
        call_depth: 2,
        depth_limit: 3,
        relaxed: false,
        variables: Default::default(),
        report: Default::default(),
    }
}

/// A job, and what its arena starts with.
#[derive(Clone)]
pub(super) struct Batch {
    pub job: Job,
    pub arena: Vec<u32>,
}

impl Deref for Batch {
    type Target = Job;

    fn deref(&self) -> &Job {
        &self.job
    }
}

impl DerefMut for Batch {
    fn deref_mut(&mut self) -> &mut Job {
        &mut self.job
    }
}

impl Batch {
    /// Takes it to an engine.
    pub fn start(self, engine: &dyn Execute) -> Result<Box<dyn Running>> {
        engine.start(self.job, &self.arena.as_slice())
    }

    /// Takes over what it has left.
    pub fn take(&mut self, finished: Finished) {
        let mut left = &*finished.changed;
        for range in self.job.changed.clone() {
            let (words, rest) = left.split_at(range.len());
            self.arena[range].copy_from_slice(words);
            left = rest;
        }
        self.atomics = finished.atomics;
    }
}

/// A job without memory of its own: what it works on is where its slots say.
pub(super) fn without_memory(mut batch: Batch) -> Batch {
    batch.arena.clear();
    batch.job.arena_words = 0;
    batch.job.changed.clear();
    batch.job.atomics.clear();
    batch
}

/// A job of `vms` VMs in an arena that starts with `inputs` words of input a VM and goes on with `outputs` words of result each.
pub(super) fn job(program: Program, input: &[u32], inputs: u32, outputs: u32, vms: u32) -> Batch {
    let results = vms * outputs;
    let mut arena = input.to_vec();
    arena.resize(input.len() + results as usize, 0);
    let base = input.len() as u32;
    let job = Job {
        program: Arc::new(program),
        first_vm: 0,
        vms,
        vm_count: vms,
        slots: vec![
            on_host(ParamSlot {
                base: 0,
                stride: inputs,
                length: inputs,
                reserved: 0,
            }),
            on_host(ParamSlot {
                base,
                stride: outputs,
                length: outputs,
                reserved: 0,
            }),
        ],
        changed: std::iter::once(input.len()..arena.len()).collect(),
        arena_words: arena.len(),
        atomics: vec![0; 8],
        atomic_regions: Vec::new(),
        is_looked_at: false,
        only_first_trap: false,
        all_traps: false,
        reach: Arc::from([]),
        steps: 1,
        copies: Vec::new(),
        neighbours: None,
        tiles: None,
    };
    Batch { job, arena }
}

pub(super) fn on_host(place: ParamSlot) -> Slot {
    Slot { place, region: None }
}

/// Runs a job by the reference interpreter; yielding VMs go on together.
pub(super) fn reference(batch: &mut Batch) -> Outcome {
    let Batch { job, arena } = batch;
    let slots: Vec<_> = job.slots.iter().map(|slot| slot.place).collect();
    let mut vms: Vec<Vm> = (0..job.vms)
        .map(|vm| Vm::new(&job.program, job.first_vm + vm))
        .collect();
    let mut memory = Memory {
        arena,
        atomics: &mut job.atomics,
        params: &slots,
        vm_count: job.vm_count,
        first_vm: 0,
    };
    let mut retired = [0; 4];
    loop {
        let outcome = interp::run_all(&job.program, &mut memory, &mut vms, None);
        retired
            .iter_mut()
            .zip(outcome.retired)
            .for_each(|(sum, count)| *sum += count);
        if !outcome.statuses.contains(&Status::Yielded) {
            return Outcome {
                first_trap: outcome.traps.first().copied(),
                traps: outcome.traps.len() as u64,
                retired: Some(retired),
            };
        }
    }
}

/// Runs a job both ways, and gives both with their outcomes, the reference's first.
fn both(engine: &dyn Execute, job: Batch) -> [(Batch, Outcome); 2] {
    let mut expected = job.clone();
    let wanted = reference(&mut expected);
    let mut found = job.clone();
    let mut running = job.start(engine).unwrap();
    let mut tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
    while tally.yielded > 0 {
        tally = running.advance(&Limit::default(), &mut |_| {}).unwrap();
    }
    let finished = running.finish().unwrap();
    let outcome = Outcome {
        first_trap: finished.first_trap,
        traps: tally.trapped.into(),
        // Not every engine counts.
        retired: tally.retired.or(wanted.retired),
    };
    found.take(finished);
    [(expected, wanted), (found, outcome)]
}

/// Runs a job both ways, and checks that memory and outcome are the same.
fn check(engine: &dyn Execute, job: Batch) -> Batch {
    let [(expected, wanted), (found, outcome)] = both(engine, job);
    assert_eq!(outcome, wanted);
    assert_eq!(found.atomics, expected.atomics);
    let differs = found.arena.iter().zip(&expected.arena).position(|(a, b)| a != b);
    if let Some(at) = differs {
        panic!(
            "arena word {at} is {:#x} and not {:#x}",
            found.arena[at], expected.arena[at]
        );
    }
    found
}

pub(super) fn is_nan(word: u32) -> bool {
    f32::from_bits(word).is_nan()
}

/// Shorthand for an instruction.
pub(super) fn op(op: Op, operands: [u32; 4]) -> Instruction {
    Instruction::new(op, operands)
}

/// Stores the map in the given format and gives the store.
pub(super) fn stored(map: &AffineMap, format: Format) -> Store {
    let mut store = Store::default();
    store.insert(map, 0.15, Some(format));
    store
}

/// A sequence of numbers without pattern.
pub struct Random(pub u32);

impl Random {
    /// Any word.
    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0.wrapping_mul(0x9e37_79b9)
    }

    /// A number below the limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        (self.next() >> 8) % limit
    }
}
