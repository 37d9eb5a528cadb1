//! A launch: arguments and choices piled up, then checked, run on an engine, and turned into [`Done`] or an error.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gpuvm_core::isa::{Instruction, Op};
use gpuvm_core::routine::{Callee, RoutineRef, Site};
use gpuvm_core::types::VmType;
use gpuvm_engine::{Device, Dispatch, Engine, FloatMode, Words};

use crate::arg::{Arg, IntoArgs};
use crate::background;
use crate::bind::{Binding, Bound, bind};
use crate::budget::Budget;
use crate::cpu;
use crate::debugger::{self, Debugger};
use crate::done::{Done, Results};
use crate::entry::{Code, Entry, Launchable};
use crate::error::{Error, Result};
use crate::execution::{Execution, OnProgress, Options, ending, or_trap};
use crate::leg::{Course, Entrance};
use crate::logs::{self, LogLimit, Logs};
use crate::native::{self, Host};
use crate::profile::Profiling;
use crate::progress::Progress;
use crate::questions::{self, Counter, Desk, Handlers, Question};
use crate::recorder::{self, Recording, Work};
use crate::runtime::Runtime;
use crate::stats::Stats;
use crate::trap::{Trap, hint_of_chunk};
use crate::view::Held;
use profile::{Subject, named_by};

mod crash;
pub(crate) mod profile;
mod replay;
mod several;
#[cfg(test)]
mod tests;

/// A launch that is being put together. Nothing happens before [`run`](Launch::run), [`run_async`](Launch::run_async) or
/// [`start`](Launch::start).
#[must_use = "a launch does nothing until `run` is called"]
pub struct Launch<'a> {
    runtime: Runtime,
    entry: Entry,
    args: Vec<Arg<'a>>,
    vms: Option<usize>,
    budget: Budget,
    options: Options<'a>,
}

impl Runtime {
    /// Begins a launch of the routine with this id, or of a [`Routine`](crate::Routine) or program that was made at run time.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`] with the nearest id there is, or [`Error::DuplicateId`].
    pub fn launch<'a>(&self, what: impl Launchable) -> Result<Launch<'a>> {
        Ok(Launch::new(self.clone(), what.entry()?))
    }
}

/// What the function of a routine's own name that launches it does.
///
/// # Errors
///
/// Those of [`Launch::run`].
#[doc(hidden)]
pub fn launch<'a>(runtime: &Runtime, id: &str, args: impl IntoArgs<'a>) -> Result<Done> {
    runtime.launch(id)?.args(args).run()
}

impl<'a> Launch<'a> {
    pub(crate) fn new(runtime: Runtime, entry: Entry) -> Launch<'a> {
        Launch {
            runtime,
            entry,
            args: Vec::new(),
            vms: None,
            budget: Budget::unlimited(),
            options: Options {
                engine: Engine::Auto,
                steps: 1,
                dispatch: Dispatch::default(),
                slice: None,
                depth: None,
                log: LogLimit::default(),
                crash: None,
                profile: false,
                all_traps: false,
                dynamic: false,
                progress: None,
                answers: Handlers::default(),
            },
        }
    }

    /// The arguments, as a tuple with one entry a parameter. The parameter's type decides what an argument means.
    pub fn args(mut self, args: impl IntoArgs<'a>) -> Self {
        self.args = args.into_args();
        self
    }

    /// The arguments, one a parameter.
    pub(crate) fn with_args(mut self, args: Vec<Arg<'a>>) -> Self {
        self.args = args;
        self
    }

    /// How many VMs to run. Needed only where no argument is a column.
    pub fn vms(mut self, vms: usize) -> Self {
        self.vms = Some(vms);
        self
    }

    /// Which engine runs it. All of them give the same results.
    ///
    /// The native engine cannot pause, so where VMs yield or the launch has a budget or is [started](Launch::start),
    /// [`Engine::Auto`] means another one, and [`Engine::Native`] with a budget or `start` is an error.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.options.engine = engine;
        self
    }

    /// How many times in a row to run it, each time with the `&mut` arguments as the time before has left them. The results are
    /// those of the last time, so there has to be one. A trap ends the row. On a GPU that holds all VMs at once, nothing is copied in between.
    ///
    /// A buffer that is `me: &mut T` or `out: &mut [T]` of one parameter and `all: &[T]` of another is seen through the latter as it was
    /// when the step began.
    pub fn steps(mut self, steps: u32) -> Self {
        self.options.steps = steps;
        self
    }

    /// On several [ranks](crate::RuntimeBuilder::ranks), hands VMs out to whoever is free, in place of a part for each: for VMs that take unequally long. It changes no bits. VMs that share what they
    /// write, print or ask, launches on buffers and those with a budget are cut as ever; without ranks it changes nothing.
    pub fn dynamic(mut self) -> Self {
        self.options.dynamic = true;
        self
    }

    /// How submissions to a GPU follow each other.
    pub fn dispatch(mut self, dispatch: Dispatch) -> Self {
        self.options.dispatch = dispatch;
        self
    }

    /// How long one submission to a GPU should take; 5 ms if nothing is said. A desktop that shares the GPU stays usable in between, and
    /// budgets and progress are looked at in between. [`Dispatch::Mega`] pays no attention to it.
    pub fn slice(mut self, slice: Duration) -> Self {
        self.options.slice = Some(slice);
        self
    }

    /// How deep calls may nest in a program with recursion; [`Settings::recursion_limit`](crate::Settings::recursion_limit) if nothing is
    /// said. A VM that goes deeper traps, and the trap says how deep that is. On a GPU memory is taken for the depth that VMs reach, not for
    /// this one; where they reach so deep that the device has no memory for it, the launch is an
    /// [`Error::OutOfMemory`] that says how deep they were.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, positions: &[u32]) -> gpuvm::Result<()> {
    /// runtime.launch("perft")?.args((positions, 5u32)).depth(8).run()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn depth(mut self, depth: u32) -> Self {
        self.options.depth = Some(depth);
        self
    }

    /// How much of what VMs print is kept and told; 100 texts of a VM and 10,000 in all if nothing is said. The rest is
    /// [counted](crate::Logs::dropped).
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime) -> gpuvm::Result<()> {
    /// use gpuvm::LogLimit;
    ///
    /// let limit = LogLimit { of_a_vm: 1000, in_all: 1000 };
    /// let done = runtime.launch("search")?.vms(4).log_limit(limit).run()?;
    /// for line in done.logs() {
    ///     println!("VM {} at {}:{}: {}", line.vm, line.file, line.line, line.text);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn log_limit(mut self, limit: LogLimit) -> Self {
        self.options.log = limit;
        self
    }

    /// Where to write a [`Snapshot`](crate::Snapshot) if a VM traps, to be looked at later, also on another machine: the same binary opens it in its debugger with `GPUVM_SNAPSHOT=crash.gpuvm`, and
    /// [`Runtime::restore`] does. [`TrapReport::snapshot`](crate::TrapReport::snapshot) says where it is. With the environment variable `GPUVM_CRASH` naming a folder, every launch leaves one there.
    ///
    /// Such a launch runs on an engine that pauses, and brings buffers to the host.
    pub fn snapshot_on_trap(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.crash = Some(path.into());
        self
    }

    /// Whether to find out where its instructions go: [`Done::profile`] has them by source line, routine, stack and VM, with how warps diverge and what they touch of memory,
    /// as a table, a page for a browser, and for flame graph tools and `pprof`. With the environment variable `GPUVM_PROFILE` naming a folder, every launch leaves the page and folded
    /// stacks there.
    ///
    /// The device runs the same as without it. VMs are deterministic, so a sample of up to 1024 of them is run once more on threads of this CPU, from where they began, while the
    /// launch runs, within 2²⁴ instructions in all. What they see is copied for that before the launch runs, and buffers in the device's memory are read.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, seeds: &[u32]) -> Result<(), Box<dyn std::error::Error>> {
    /// let done = runtime.launch("collatz")?.args((seeds,)).profile(true).run()?;
    /// if let Some(profile) = done.profile() {
    ///     println!("{profile}");
    ///     std::fs::write("collatz.html", profile.html())?;
    ///     std::fs::write("collatz.folded", profile.folded())?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn profile(mut self, profile: bool) -> Self {
        self.options.profile = profile;
        self
    }

    /// Whether the [report](crate::TrapReport::vms) of a launch in which VMs trap names all of them, and not the first alone. Results of VMs that trapped are zeros, which others
    /// may well have returned.
    ///
    /// On a GPU each VM then leaves its state, which takes memory, and some time where VMs trap.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, texts: &[[u8; 32]]) -> gpuvm::Result<()> {
    /// use gpuvm::Error;
    ///
    /// match runtime.launch("parse")?.args((texts,)).all_traps(true).run() {
    ///     Err(Error::Trap(report)) => println!("{report}; these are no numbers: {:?}", report.vms),
    ///     other => println!("{:?}", other?.output::<Vec<u32>>()?),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn all_traps(mut self, all: bool) -> Self {
        self.options.all_traps = all;
        self
    }

    /// How much [`run`](Launch::run) and [`run_async`](Launch::run_async) may run before they give up with
    /// [`Error::Budget`]. To go on after a budget, use [`start`](Launch::start), whose
    /// [`advance`](Execution::advance) has a budget of its own.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime) -> gpuvm::Result<()> {
    /// use gpuvm::{Budget, Error};
    ///
    /// match runtime.launch("search")?.vms(1000).budget(Budget::cycles(1_000_000)).run() {
    ///     Err(Error::Budget(report)) => println!("{report}; {} VMs are done", report.vms - report.running),
    ///     other => println!("{}", other?.stats()),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// What to call between submissions, for a progress bar or a log. The native engine cannot pause, and calls it after each step.
    pub fn progress(mut self, progress: impl FnMut(&Progress) + Send + 'a) -> Self {
        self.options.progress = Some(Box::new(progress));
        self
    }

    /// Who answers what VMs [ask](crate::native::vm::ask): called with the VM and its question. A launch may have one for each pair of types.
    ///
    /// It is called on the thread that runs the launch, natively on those of the VMs, one question at a time: on a GPU when no VM goes on without
    /// answers, or 20 ms after the last time. In which order VMs are answered that wait at the same time is not said.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime) -> gpuvm::Result<()> {
    /// let mut asked = 0;
    /// let launch = runtime.launch("trader")?.vms(1000);
    /// let done = launch
    ///     .answer(|_vm, stock: u32| {
    ///         asked += 1;
    ///         stock as f32 * 1.5
    ///     })
    ///     .run()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn answer<Q: VmType, A: VmType>(mut self, answer: impl FnMut(u32, Q) -> A + Send + 'a) -> Self {
        self.options.answers.add(answer);
        self
    }

    /// The same with all questions at once that wait for an answer, in the order of the VMs: an answer to each, in that order. Natively each VM's comes
    /// alone.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime) -> gpuvm::Result<()> {
    /// use gpuvm::Question;
    ///
    /// let launch = runtime.launch("trader")?.vms(1000);
    /// let done = launch
    ///     .answer_all(|questions: &[Question<u32>]| questions.iter().map(|asked| asked.question as f32).collect())
    ///     .run()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn answer_all<Q: VmType, A: VmType>(
        mut self,
        answer: impl FnMut(&[Question<Q>]) -> Vec<A> + Send + 'a,
    ) -> Self {
        self.options.answers.add_all(answer);
        self
    }

    /// Runs it to its end. Arguments lent with `&mut` have their new values afterwards, also if a VM trapped or the budget ran out.
    ///
    /// Without a budget, a VM that never halts keeps this from returning.
    ///
    /// # Errors
    ///
    /// What is wrong with an argument, by its parameter's name; what the device could not do;
    /// [`Error::Trap`] with the first trap by VM id, or [`Error::Budget`], both with the results of
    /// all VMs that are done; [`Error::NobodyAnswers`] if VMs may ask what nobody [answers](Launch::answer).
    pub fn run(self) -> Result<Done> {
        self.bind()?.run(None).0
    }

    /// [`run`](Launch::run) for asynchronous code, under any executor: the launch runs on a thread of its own, on copies of the slices
    /// among the arguments, which come back at the end. Progress is told when the future is polled.
    ///
    /// Dropping the future cancels the launch: soon on engines that can pause, and on the native one as soon as the VMs that run are over, of
    /// which there is one a thread at most. `&mut` slices keep their old values then.
    ///
    /// # Errors
    ///
    /// As [`run`](Launch::run).
    pub async fn run_async(self) -> Result<Done> {
        let mut bound = self.bind()?;
        let progress = bound.options.progress.take();
        let answers = std::mem::take(&mut bound.options.answers);
        let desk = Arc::new(Desk::default());
        let relayed = answers.relayed(&desk);
        let (params, homes) = background::adopt(bound.params);
        let Bounded {
            runtime,
            entry,
            vms,
            budget,
            options,
            begin,
            ..
        } = bound;
        let options = options.lent_nothing();
        let work = move |cancelled: &AtomicBool, progress: OnProgress<'static>| {
            let bound = Bounded {
                runtime,
                entry,
                params,
                vms,
                budget,
                options: Options {
                    progress: Some(progress),
                    answers: relayed,
                    ..options
                },
                begin,
            };
            bound.run(Some(cancelled))
        };
        let (done, params) = background::run(work, progress, (answers, desk)).await?;
        background::give_back(params, homes);
        done
    }

    /// Starts it under control. Nothing has run when this returns.
    ///
    /// # Errors
    ///
    /// What is wrong with an argument, by its parameter's name; [`Error::EngineUnavailable`] on the
    /// native engine, which cannot pause; or what the device could not do.
    pub fn start(self) -> Result<Execution<'a>> {
        let bound = self.bind()?;
        let engine = bound.runtime.pausing(bound.options.engine, bound.entry.params())?;
        bound.execution(engine, true)
    }

    /// Checks the arguments.
    fn bind(mut self) -> Result<Bounded<'a>> {
        let begin = Instant::now();
        self.options.profile |= crate::profile::is_asked_for();
        if self.options.steps == 0 {
            return Err(Error::NoSteps {
                routine: self.entry.id().to_string(),
            });
        }
        let Binding { params, vms } = bind(&self.entry, self.entry.params(), self.args, self.vms)?;
        Ok(Bounded {
            runtime: self.runtime,
            entry: self.entry,
            params,
            vms,
            budget: self.budget,
            options: self.options,
            begin,
        })
    }
}

impl std::fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launch")
            .field("routine", &self.entry.id())
            .field("args", &self.args)
            .field("vms", &self.vms)
            .field("engine", &self.options.engine)
            .field("steps", &self.options.steps)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// A launch whose arguments fit.
struct Bounded<'a> {
    runtime: Runtime,
    entry: Entry,
    params: Vec<Bound<'a>>,
    vms: u32,
    budget: Budget,
    options: Options<'a>,
    begin: Instant,
}

impl<'a> Bounded<'a> {
    /// Runs it to its end, and gives the arguments back unless something is wrong with the device.
    fn run(self, cancelled: Option<&AtomicBool>) -> (Result<Done>, Vec<Bound<'a>>) {
        let asked = self.options.crash.clone();
        let crash = asked.or_else(|| crash::from_environment(self.entry.id()));
        let debugger = debugger::of(&self.runtime);
        if debugger.is_some() || crash.is_some() {
            return self.run_kept(debugger.as_deref(), crash, cancelled);
        }
        match self.spread() {
            Ok(Some(members)) => return self.run_spread(members, cancelled),
            Ok(None) => {}
            Err(error) => return (Err(error), Vec::new()),
        }
        self.on_one(|launch| match launch.engine() {
            Ok(Engine::Native) => launch.run_native(cancelled),
            Ok(engine) => launch.run_program(engine, cancelled),
            Err(error) => (Err(error), Vec::new()),
        })
    }

    /// The engine to run on.
    fn engine(&self) -> Result<Engine> {
        let bounded = self.budget != Budget::unlimited();
        let params = self.entry.params();
        match self.options.engine {
            engine if bounded => self.runtime.pausing(engine, params),
            Engine::Auto if self.runtime.auto(params) == Engine::Native && !pauses(&self.entry) => Ok(Engine::Native),
            Engine::Auto => self.runtime.pausing(Engine::Auto, params),
            engine => Ok(engine),
        }
    }

    /// The launch on an engine that runs programs.
    fn execution(self, engine: Engine, keep: bool) -> Result<Execution<'a>> {
        let Bounded {
            runtime,
            entry,
            mut params,
            vms,
            options,
            begin,
            budget,
            ..
        } = self;
        let executor = runtime.executor(engine)?;
        let program = runtime.link_with(&entry, &options.settings(&runtime))?;
        params.extend(logs::argument(&program, vms, options.log));
        params.extend(questions::argument(&program, vms, engine)?);
        // What is kept may be saved. A VM holds addresses, and only in an arena of its job's own do they mean the same elsewhere.
        let memory = executor.memory().filter(|_| !keep);
        let held = Held::new(params, memory.as_ref(), keep)?;
        let course = Course {
            program,
            executor,
            engine,
            vms,
            range: 0..vms,
            reach: Arc::from([]),
            keep,
            counts: budget.cycles.is_some(),
            all_traps: options.all_traps,
        };
        let options = Options { engine, ..options };
        let mut execution = Execution::new(runtime, entry, course, held, options, begin);
        execution.next_leg(Entrance::Program)?;
        if execution.options.profile {
            let subject = Subject {
                program: &execution.course.program,
                name: &named_by(&execution.entry),
                vms,
                steps: execution.options.steps,
                words: crate::profile::WORDS,
            };
            let sampled = subject.sampled(execution.held.views(), memory.as_ref());
            execution.profiling = Some(Profiling::start(sampled));
        }
        Ok(execution)
    }

    fn run_program(self, engine: Engine, cancelled: Option<&AtomicBool>) -> (Result<Done>, Vec<Bound<'a>>) {
        let budget = self.budget;
        let mut execution = match self.execution(engine, false) {
            Ok(execution) => execution,
            Err(error) => return (Err(error), Vec::new()),
        };
        if let Err(error) = execution.is_answered() {
            return (Err(error), execution.held.params);
        }
        match execution.drive(budget, cancelled) {
            Ok(_) => execution.end((budget != Budget::unlimited()).then_some(budget)),
            Err(error) => (Err(error), Vec::new()),
        }
    }

    /// Runs it on an engine that pauses and keeps its VMs, as a debugger needs that has it first, and a snapshot of where it traps.
    fn run_kept(
        self,
        debugger: Option<&dyn Debugger>,
        crash: Option<PathBuf>,
        cancelled: Option<&AtomicBool>,
    ) -> (Result<Done>, Vec<Bound<'a>>) {
        let budget = self.budget;
        let asked = match self.options.engine {
            Engine::Native => Engine::Auto,
            other => other,
        };
        let started = self.runtime.pausing(asked, self.entry.params());
        let mut execution = match started.and_then(|engine| self.execution(engine, true)) {
            Ok(execution) => execution,
            Err(error) => return (Err(error), Vec::new()),
        };
        if let Err(error) = execution.is_answered() {
            return (Err(error), execution.held.params);
        }
        let taken = debugger.map_or(Ok(()), |debugger| debugger.take(&mut execution));
        if let Err(error) = taken.and_then(|()| execution.drive(budget, cancelled)) {
            return (Err(error), Vec::new());
        }
        let trapped = execution.standing().trapped > 0;
        let saved = crash
            .filter(|_| trapped)
            .map(|path| match execution.save_trapped(&path) {
                Ok(()) => Ok(path),
                Err(error) => Err(error.to_string()),
            });
        let (mut done, params) = execution.end((budget != Budget::unlimited()).then_some(budget));
        if let (Err(Error::Trap(report)), Some(saved)) = (&mut done, saved) {
            report.snapshot = Some(saved);
        }
        (done, params)
    }

    fn run_native(mut self, cancelled: Option<&AtomicBool>) -> (Result<Done>, Vec<Bound<'a>>) {
        if let Err(error) = self.is_answered() {
            return (Err(error), self.params);
        }
        let mut held = match Held::new(std::mem::take(&mut self.params), None, false) {
            Ok(held) => held,
            Err(error) => return (Err(error), Vec::new()),
        };
        let recording = recorder::begin(Engine::Native, || {
            Work::launch(self.entry.id(), Device::cpu().name, self.vms, self.options.steps)
        });
        let done = self.native_steps(&mut held, cancelled, recording.as_ref());
        if let Some(recording) = recording {
            recording.end(ending(done.as_ref().err()));
        }
        (done, held.params)
    }

    /// Whether there is an answer to each question that VMs may ask.
    fn is_answered(&self) -> Result<()> {
        let (id, answers) = (self.entry.id(), &self.options.answers);
        match self.entry.code() {
            Code::Program(program) => answers.cover(id, program),
            Code::Routine(routine) => reached(routine).iter().try_for_each(|routine| {
                let site = |site: &Site| (site.cause, &*routine.file, site.line);
                answers.cover_sites(id, routine.sites.iter().map(site))
            }),
        }
    }

    /// All steps on the native engine.
    fn native_steps(
        mut self,
        held: &mut Held<'_>,
        cancelled: Option<&AtomicBool>,
        recording: Option<&Recording>,
    ) -> Result<Done> {
        let mut answers = std::mem::take(&mut self.options.answers);
        let answering = Counter::new(self.entry.id(), &mut answers);
        let host = Host {
            log: self.options.log,
            cancelled,
            answering: Some(&answering),
            over: recording.map(Recording::over),
        };
        let settings = self.options.settings(&self.runtime);
        let result = self.entry.result_type();
        let mut profiling = None;
        if self.options.profile {
            held.refresh()?;
            profiling = Some(self.profiled_natively(held.views(), &settings));
        }
        let _watched = native::watch::watch(self.entry.id());
        let (mut results, mut trap, mut traps) = (Results::Words(Words::default()), None, 0);
        let (mut texts, mut dropped) = (Vec::new(), 0);
        let mut steps = 0;
        while steps < self.options.steps && trap.is_none() && !host.is_cancelled() {
            held.refresh()?;
            if let Some(recording) = recording {
                recording.begin_step();
            }
            let ran = cpu::run((&self.runtime, &self.entry), held.views(), self.vms, &settings, host)?;
            if answering.has_failed() {
                break;
            }
            traps = Trap::vms_of(&ran.first_trap).len() as u64;
            texts.extend(ran.texts);
            dropped += ran.dropped_texts;
            steps += u32::from(ran.first_trap.is_none());
            (results, trap) = (Results::Typed(ran.results), ran.first_trap);
            if let Some(recording) = recording {
                recording.end_step(steps, traps);
            }
            if let Some(progress) = &mut self.options.progress {
                progress(&Progress {
                    vms: self.vms.into(),
                    stopped: self.vms.into(),
                    steps,
                    all_steps: self.options.steps,
                    elapsed: self.begin.elapsed(),
                    instructions: None,
                });
            }
        }
        let is_early = trap.is_none() && steps < self.options.steps;
        answering.close()?;
        let stats = Stats {
            vms: self.vms.into(),
            dispatch: self.options.dispatch,
            steps,
            batches: 1,
            submissions: u64::from(steps),
            host_time: self.begin.elapsed(),
            ..Stats::of_nothing(Engine::Native, Device::cpu(), FloatMode::Exact)
        };
        let profile = profiling.map(|profiling| profiling.finish(self.entry.id(), &stats, Vec::new(), is_early));
        let logs = Logs::within(texts, dropped, self.options.log);
        logs.tell(self.entry.id());
        let done = Done {
            routine: self.entry.id().to_string(),
            result,
            results,
            stats,
            logs,
            profile,
            columns: Vec::new(),
        };
        let hint = |trap: &Trap| hint_of_chunk(trap, &self.entry, &held.params, self.vms);
        let hinted = trap.map(|trap| (hint(&trap), trap));
        let hinted = hinted.map(|(hint, trap)| (hint, self.replayed(&held.views(), trap, &settings)));
        or_trap(done, hinted, (traps, self.options.all_traps))
    }
}

/// Whether a VM may pause: the routine yields, or something that it calls does.
fn pauses(entry: &Entry) -> bool {
    let yields = |code: &[Instruction]| code.iter().any(|code| Op::from_code(code.opcode) == Some(Op::Yield));
    match entry.code() {
        Code::Program(program) => yields(&program.code),
        Code::Routine(routine) => reached(routine).iter().any(|routine| yields(&routine.code)),
    }
}

/// A routine and all that it calls but the library's.
fn reached(routine: RoutineRef) -> Vec<RoutineRef> {
    let mut seen = vec![routine];
    let mut next = 0;
    while let Some(routine) = seen.get(next).cloned() {
        let called = routine.callees.iter().filter_map(|callee| match callee {
            Callee::Routine(routine) => Some(RoutineRef::from(routine())),
            Callee::Held(number) => routine.held.get(*number as usize).cloned(),
            Callee::Piece(_) | Callee::Library(_) => None,
        });
        for callee in called.chain(routine.tables().cloned()) {
            if !seen.iter().any(|known| known.key() == callee.key()) {
                seen.push(callee);
            }
        }
        next += 1;
    }
    seen
}
