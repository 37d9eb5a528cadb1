//! A launch: arguments and choices piled up, then checked, run on an engine, and turned into [`Done`] or an error.

use std::time::{Duration, Instant};

use gpuvm_core::program::TrapRecord;
use gpuvm_core::routine::Routine;
use gpuvm_core::types::Value;

use crate::arg::{Arg, IntoArgs};
use crate::bind::{Binding, bind};
use crate::device::{Device, FloatMode};
use crate::done::{Done, Results};
use crate::engine::{Engine, Limit};
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
        Launch {
            runtime,
            entry,
            args: Vec::new(),
            vms: None,
            engine: Engine::Auto,
            steps: 1,
        }
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
        let Launch {
            runtime,
            entry,
            args,
            vms,
            engine,
            steps,
        } = self;
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
        let float_mode = match engine {
            Engine::Native => FloatMode::Exact,
            _ if routine.relaxed => FloatMode::Relaxed,
            _ => device.float_mode,
        };
        let stats = Stats {
            vms: u64::from(binding.vms),
            engine,
            device,
            float_mode,
            batches: ran.batches,
            retired: ran.outcome.retired,
            host_time: start.elapsed(),
            device_time: ran.outcome.device_time,
        };
        ran.finish(entry, routine, stats)
    }
}

/// How a job ended.
#[derive(Clone, Debug, Default)]
struct Outcome {
    first_trap: Option<TrapRecord>,
    traps: u64,
    retired: Option<[u64; 4]>,
    device_time: Option<Duration>,
}

impl Outcome {
    /// Adds what a later job of the same launch gave.
    fn add(&mut self, later: Outcome) {
        self.first_trap = self.first_trap.or(later.first_trap);
        self.traps += later.traps;
        self.retired = match (self.retired, later.retired) {
            (Some(a), Some(b)) => Some(std::array::from_fn(|class| a[class] + b[class])),
            _ => None,
        };
        self.device_time = match (self.device_time, later.device_time) {
            (Some(a), Some(b)) => Some(a + b),
            _ => None,
        };
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
        Ran {
            results: Results::Words(Vec::new()),
            outcome: Outcome::default(),
            trap: None,
            batches: 0,
        }
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
        let result = if routine.result.words() == 0 {
            <()>::TYPE
        } else {
            routine.result.ty
        };
        let done = Done {
            routine: entry.id.to_string(),
            result,
            results: self.results,
            stats,
        };
        match self.trap {
            None => Ok(done),
            Some(Trap {
                vm,
                file,
                line,
                message,
            }) => Err(Error::Trap(Box::new(TrapReport {
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
    let outcome = Outcome {
        first_trap: None,
        traps: ran.traps,
        retired: None,
        device_time: None,
    };
    Ok(Ran {
        results: Results::Typed(ran.results),
        outcome,
        trap: ran.first_trap,
        batches: 1,
    })
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
            return Err(Error::TooLarge {
                routine: entry.id.to_string(),
                words,
                vms: 1,
                engine,
            });
        }
        let mut results = Vec::with_capacity(program.result_words() as usize * vms as usize);
        let mut ran = Ran::none();
        let mut first = 0;
        while first < vms {
            let last = first + batch.min(vms - first);
            let mut running = executor.start(layout.job(&program, &params, first..last, vms))?;
            let mut tally = running.advance(&Limit::default(), &mut |_| {})?;
            while tally.running + tally.yielded > 0 {
                tally = running.advance(&Limit::default(), &mut |_| {})?;
            }
            let finished = running.finish()?;
            let outcome = Outcome {
                first_trap: finished.first_trap,
                traps: tally.trapped.into(),
                retired: tally.retired,
                device_time: tally.device_time,
            };
            layout.take(first..last, finished, &mut params, &mut results);
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

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use gpuvm_core::isa::{Instruction, NO_WORD, Op};
    use gpuvm_core::routine::{Cause, Site};
    use gpuvm_core::types::TypeRef;

    use super::*;
    use crate::device::Backend;

    const MESSAGE: &str = "attempt to multiply with overflow";
    const CODE: &[Instruction] = &[
        Instruction::new(Op::Load, [6, 1, 2, 0]),
        Instruction::new(Op::MulOverU, [7, 0, 6, 0]),
        Instruction::new(Op::TrapIf, [0, 7, NO_WORD, NO_WORD]),
        Instruction::new(Op::Mul, [8, 0, 6, 0]),
        Instruction::new(Op::Store, [8, 1, 2, 0]),
        Instruction::new(Op::Store, [0, 3, 4, 1]),
        Instruction::new(Op::VmId, [9, 0, 0, 0]),
        Instruction::new(Op::Store, [9, 3, 4, 0]),
        Instruction::new(Op::Popcount, [10, 8, 0, 0]),
        Instruction::new(Op::Return, [10, 0, 0, 0]),
    ];
    static ROUTINE: Routine = Routine {
        name: Cow::Borrowed("scale"),
        file: Cow::Borrowed("src/scale.rs"),
        line: 1,
        params: Cow::Borrowed(&[
            TypeRef::of::<u32>(),
            TypeRef::of::<&mut u32>(),
            TypeRef::of::<&mut [u32]>(),
        ]),
        result: TypeRef::of::<u32>(),
        words: 11,
        code: Cow::Borrowed(CODE),
        lines: Cow::Borrowed(&[2; CODE.len()]),
        matrices: Cow::Borrowed(&[]),
        terms: Cow::Borrowed(&[]),
        callees: Cow::Borrowed(&[]),
        constants: Cow::Borrowed(&[]),
        sites: Cow::Borrowed(&[Site {
            line: 2,
            cause: Cause::Message(MESSAGE),
        }]),
        variables: Cow::Borrowed(&[]),
        relaxed: false,
    };

    fn scale(vm: usize, x: u32, me: &mut u32, out: &mut [u32]) -> u32 {
        let Some(product) = me.checked_mul(x) else {
            panic!("{MESSAGE}")
        };
        *me = product;
        out[1] = x;
        out[0] = vm as u32;
        product.count_ones()
    }

    inventory::submit! {
        Entry {
            id: "scale",
            file: "src/scale.rs",
            line: 1,
            params: &["x", "me", "out"],
            routine: || &ROUTINE,
            native: |cx| {
                let x = cx.column::<u32>(0)?;
                let me = cx.records::<u32>(1)?;
                let out = cx.chunks::<u32>(2)?;
                cx.run((me, out), |vm, (me, out)| scale(vm, x.get(vm), me, out))
            },
        }
    }

    /// Launches `scale` and gives its results, whatever it wrote, and the first trap.
    fn launch(engine: Engine, x: impl crate::IntoArg<'static>, vms: usize, steps: u32) -> [Vec<u32>; 4] {
        let backend = match engine {
            Engine::Interpreter => Backend::Wgpu,
            _ => Backend::Cpu,
        };
        let runtime = Runtime::builder().backend(backend).build().unwrap();
        let mut me: Vec<u32> = (0..vms as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let out = runtime.buffer(&vec![0u32; 2 * vms]).unwrap();
        let launch = runtime.launch("scale").unwrap().args((x.into_arg(), &mut me, &out));
        let (done, trap) = match launch.engine(engine).steps(steps).run() {
            Ok(done) => (done, Vec::new()),
            Err(Error::Trap(report)) => {
                assert_eq!((report.message.as_str(), report.routine.as_str()), (MESSAGE, "scale"));
                let trap = vec![report.vm, report.count as u32];
                (report.into_done(), trap)
            }
            Err(error) => panic!("{error}"),
        };
        assert_eq!((done.stats().engine, done.stats().vms), (engine, vms as u64));
        [done.output().unwrap(), me, out.read().unwrap(), trap]
    }

    #[test]
    fn the_engines_agree() {
        let ones = launch(Engine::Reference, 1u32, 1000, 1);
        assert_eq!(ones, launch(Engine::Native, 1u32, 1000, 1));
        assert_eq!(ones[3], []);
        let x: &'static [u32] = Vec::leak((0..1000).map(|i| i % 7 * (i % 7)).collect());
        let mixed = launch(Engine::Reference, x, 1000, 2);
        assert_eq!(mixed, launch(Engine::Native, x, 1000, 2));
        assert!(mixed[3][1] > 100, "many VMs trap: {:?}", mixed[3]);
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn the_gpu_agrees() {
        let vms = 10_000;
        assert_eq!(
            launch(Engine::Interpreter, 3u32, vms, 2),
            launch(Engine::Native, 3u32, vms, 2)
        );
    }

    #[test]
    fn a_launch_of_several_batches_is_one_launch() {
        let vms = 150_000;
        let batched = launch(Engine::Reference, 2u32, vms, 1);
        assert_eq!(batched, launch(Engine::Native, 2u32, vms, 1));
        let mut ids = batched[2].chunks_exact(2).enumerate();
        assert!(ids.all(|(vm, out)| out[0] == vm as u32 || out == [0, 0]));
        assert!(batched[3][1] > 1000, "many VMs trap: {:?}", batched[3]);
    }
}
