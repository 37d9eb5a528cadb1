//! A launch: arguments and choices piled up, then checked, run on an engine, and turned into [`Done`] or an error.

use std::time::Instant;

use gpuvm_core::routine::Routine;
use gpuvm_core::types::Value;

use crate::arg::{Arg, IntoArgs};
use crate::bind::{Binding, bind};
use crate::device::Device;
use crate::done::{Done, Results};
use crate::engine::{Engine, Outcome};
use crate::error::{Error, Result};
use crate::marshal::Layout;
use crate::native;
use crate::registry::Entry;
use crate::runtime::Runtime;
use crate::stats::Stats;
use crate::trap::{Trap, TrapReport};
use crate::view::with_views;

/// A launch that is being put together. Nothing happens before [`run`](Launch::run).
#[must_use = "a launch does nothing until `run` is called"]
#[derive(Debug)]
pub struct Launch<'a> {
    runtime: Runtime,
    entry: &'static Entry,
    args: Vec<Arg<'a>>,
    vms: Option<usize>,
    engine: Engine,
    steps: u32,
}

impl<'a> Launch<'a> {
    pub(crate) fn new(runtime: Runtime, entry: &'static Entry) -> Launch<'a> {
        Launch { runtime, entry, args: Vec::new(), vms: None, engine: Engine::Auto, steps: 1 }
    }

    /// The arguments, as a tuple with one entry a parameter. The parameter's type decides what an argument means.
    pub fn args(mut self, args: impl IntoArgs<'a>) -> Self {
        self.args = args.into_args();
        self
    }

    /// How many VMs to run. Needed only where no argument is a column.
    pub fn vms(mut self, vms: usize) -> Self {
        self.vms = Some(vms);
        self
    }

    /// Which engine runs it. All of them give the same results.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// How many times in a row to run it, each time with the `&mut` arguments as the time before has left them. The results are
    /// those of the last time. A trap ends the row.
    pub fn steps(mut self, steps: u32) -> Self {
        self.steps = steps;
        self
    }

    /// Runs it to its end. Arguments lent with `&mut` have their new values afterwards, also if a VM trapped.
    ///
    /// # Errors
    ///
    /// What is wrong with an argument, by its parameter's name; what the device could not do; or [`Error::Trap`] with the first
    /// trap by VM id and the results of all other VMs.
    pub fn run(self) -> Result<Done> {
        let start = Instant::now();
        let Launch { runtime, entry, args, vms, engine, steps } = self;
        let routine = (entry.routine)();
        let mut binding = bind(entry, &routine.params, args, vms)?;
        let engine = if engine == Engine::Auto { runtime.auto() } else { engine };
        let mut ran = Ran::none();
        for _ in 0..steps {
            let step = match engine {
                Engine::Native => run_native(&runtime, entry, &mut binding)?,
                _ => run_program(&runtime, entry, engine, &mut binding)?,
            };
            ran.add(step);
            if ran.trap.is_some() {
                break;
            }
        }
        let device = match engine {
            Engine::Native | Engine::Reference => Device::cpu(),
            _ => runtime.device().clone(),
        };
        let stats = Stats {
            vms: u64::from(binding.vms),
            engine,
            device,
            batches: ran.batches,
            retired: ran.outcome.retired,
            host_time: start.elapsed(),
            device_time: ran.outcome.device_time,
        };
        ran.finish(entry, routine, stats)
    }
}

/// What one or more steps gave.
struct Ran {
    results: Results,
    outcome: Outcome,
    trap: Option<Trap>,
    batches: u64,
}

impl Ran {
    /// Before the first step.
    fn none() -> Ran {
        Ran { results: Results::Words(Vec::new()), outcome: Outcome::default(), trap: None, batches: 0 }
    }

    fn add(&mut self, step: Ran) {
        let first = self.batches == 0;
        self.results = step.results;
        self.trap = step.trap;
        self.batches += step.batches;
        match first {
            true => self.outcome = step.outcome,
            false => self.outcome.add(step.outcome),
        }
    }

    fn finish(self, entry: &Entry, routine: &Routine, stats: Stats) -> Result<Done> {
        // A routine that never returns has no results, which is what `()` has too.
        let result = if routine.result.words() == 0 { <()>::TYPE } else { routine.result.ty };
        let done = Done { routine: entry.id.to_string(), result, results: self.results, stats };
        match self.trap {
            None => Ok(done),
            Some(Trap { vm, file, line, message }) => Err(Error::Trap(Box::new(TrapReport {
                vm,
                routine: entry.id.to_string(),
                file,
                line,
                message,
                count: self.outcome.traps,
                done,
            }))),
        }
    }
}

/// One step on the native engine.
fn run_native(runtime: &Runtime, entry: &'static Entry, binding: &mut Binding<'_>) -> Result<Ran> {
    let (vms, limit) = (binding.vms, runtime.settings().recursion_limit);
    let ran = with_views(&mut binding.params, |params| native::run(entry, params, vms, limit))?;
    let outcome = Outcome { first_trap: None, traps: ran.traps, retired: None, device_time: None };
    Ok(Ran { results: Results::Typed(ran.results), outcome, trap: ran.first_trap, batches: 1 })
}

/// One step on an engine that runs programs: as many jobs as the device's memory makes necessary.
fn run_program(runtime: &Runtime, entry: &'static Entry, engine: Engine, binding: &mut Binding<'_>) -> Result<Ran> {
    let executor = runtime.executor(engine)?;
    let program = runtime.link(entry)?;
    let vms = binding.vms;
    with_views(&mut binding.params, |mut params| {
        let mut layout = Layout::new(&params, program.result_words(), vms);
        let demand = layout.demand();
        let addressable = demand.vms_within(u64::from(u32::MAX) - demand.atomic_words.min(u64::from(u32::MAX)));
        let batch = executor.capacity(&program, &demand).min(addressable).min(vms);
        if batch == 0 {
            let words = demand.shared_words + demand.words_per_vm + demand.atomic_words;
            return Err(Error::TooLarge { routine: entry.id.to_string(), words, vms: 1, engine });
        }
        let mut results = Vec::with_capacity(program.result_words() as usize * vms as usize);
        let mut ran = Ran::none();
        let mut first = 0;
        while first < vms {
            let last = first + batch.min(vms - first);
            let mut job = layout.job(&program, &params, first..last, vms);
            let outcome = executor.run(&mut job)?;
            layout.take(job, &mut params, &mut results);
            match first {
                0 => ran.outcome = outcome,
                _ => ran.outcome.add(outcome),
            }
            ran.batches += 1;
            first = last;
        }
        layout.finish(&mut params);
        ran.results = Results::Words(results);
        ran.trap = ran.outcome.first_trap.map(|record| Trap::of(&program, &record));
        Ok(ran)
    })
}
