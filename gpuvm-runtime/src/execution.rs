//! A launch under control: it runs as far as it is told, and in between it can be looked at, saved and ended.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gpuvm_core::program::Asked;
use gpuvm_core::settings::Settings;
use gpuvm_core::types::VmType;

use crate::budget::Budget;
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::leg::{Course, Entrance, Leg};
use crate::logs::{self, LogLimit, Logs};
use crate::profile::Profiling;
use crate::progress::{Progress, Standing};
use crate::questions::{Handlers, Question, answer_words};
use crate::recorder::{self, Ending, Recording, Work};
use crate::runtime::Runtime;
use crate::tally::continued;
use crate::trap::Trap;
use crate::vector::read_all;
use crate::view::Held;

mod cost;
mod end;

use cost::Slices;
pub(crate) use end::{ending, or_trap};
use gpuvm_engine::{Dispatch, Engine, Limit, StopAt, Tally, Words};

/// Why [`Execution::advance`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Signal {
    /// All VMs are done, and so are all steps.
    Halt,
    /// No VM is running, and at least one has yielded; the next advance lets it go on.
    Yield,
    /// No VM is running, none has yielded, and at least one waits for an answer to what it has [asked](Execution::questions).
    Blocked,
    /// The budget ran out.
    Checkpoint,
    /// At least one VM stands in front of a breakpoint; the next advance lets it go past.
    Breakpoint,
    /// All VMs have stopped, at least one of them in a trap.
    Trap,
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Signal::Halt => "halt",
            Signal::Yield => "yield",
            Signal::Blocked => "blocked",
            Signal::Checkpoint => "checkpoint",
            Signal::Breakpoint => "breakpoint",
            Signal::Trap => "trap",
        })
    }
}

/// A launch that was [started](crate::Launch::start). It runs only while it is told to [`advance`](Execution::advance).
///
/// Its arguments stay lent until it is [finished](Execution::finish) or dropped. Only finishing writes `&mut` arguments back; of an
/// execution that is dropped, the buffers that it writes hold what they held before or what the VMs have left in them so far.
///
/// ```
/// # use gpuvm_runtime as gpuvm;
/// # fn example(runtime: &gpuvm::Runtime) -> gpuvm::Result<()> {
/// use gpuvm::{Budget, Signal};
///
/// let mut execution = runtime.launch("collatz")?.args((&[27u32, 97],)).start()?;
/// while execution.advance(Budget::cycles(100))? == Signal::Checkpoint {
///     println!("VM 1 is at {}", execution.vm(1)?);
/// }
/// let steps: Vec<u32> = execution.finish()?.output()?;
/// # Ok(())
/// # }
/// ```
pub struct Execution<'a> {
    pub(crate) runtime: Runtime,
    pub(crate) entry: Entry,
    pub(crate) course: Course,
    pub(crate) held: Held<'a>,
    pub(crate) leg: Option<Leg>,
    /// The results, once a part of the leg is over, or of a snapshot.
    pub(crate) results: Words,
    /// What the program was linked with.
    pub(crate) settings: Settings,
    pub(crate) options: Options<'a>,
    /// Steps that were complete when the leg began.
    pub(crate) steps_done: u32,
    /// What the legs before this one came to.
    pub(crate) before: Tally,
    /// Jobs of the legs before this one.
    jobs: u64,
    begin: Instant,
    slices: Slices,
    /// The profile on its way.
    pub(crate) profiling: Option<Profiling>,
    /// What is written down of it.
    recording: Option<Recording>,
    /// Time that it took before the snapshot that it was restored from.
    pub(crate) earlier: Duration,
    pub(crate) breakpoints: Vec<StopAt>,
    /// Whether somebody looks at variables.
    shows: bool,
    /// Whether the columns are its own, because the caller's were in another process.
    pub(crate) restored: bool,
}

/// What the launch was told.
pub(crate) struct Options<'a> {
    pub engine: Engine,
    pub steps: u32,
    pub dispatch: Dispatch,
    pub slice: Option<Duration>,
    /// Deepest recursion, if it is not the runtime's.
    pub depth: Option<u32>,
    /// How much of what VMs print is kept.
    pub log: LogLimit,
    /// Where a snapshot goes if a VM traps.
    pub crash: Option<PathBuf>,
    /// Whether a sample of its VMs is counted.
    pub profile: bool,
    /// Whether all VMs that trap are told, and not the first alone.
    pub all_traps: bool,
    /// Whether its VMs are handed out to ranks.
    pub dynamic: bool,
    pub progress: Option<OnProgress<'a>>,
    /// Who answers what VMs ask.
    pub answers: Handlers<'a>,
}

impl Options<'_> {
    /// What the program is linked with.
    pub(crate) fn settings(&self, runtime: &Runtime) -> Settings {
        let settings = runtime.settings();
        Settings {
            recursion_limit: self.depth.unwrap_or(settings.recursion_limit),
            ..settings.clone()
        }
    }

    /// The same without what is called in between, which may be tied to the caller.
    pub(crate) fn lent_nothing(self) -> Options<'static> {
        Options {
            engine: self.engine,
            steps: self.steps,
            dispatch: self.dispatch,
            slice: self.slice,
            depth: self.depth,
            log: self.log,
            crash: self.crash,
            profile: self.profile,
            all_traps: self.all_traps,
            dynamic: self.dynamic,
            progress: None,
            answers: Handlers::default(),
        }
    }
}

/// What is called between submissions.
pub(crate) type OnProgress<'a> = Box<dyn FnMut(&Progress) + Send + 'a>;

impl<'a> Execution<'a> {
    pub(crate) fn new(
        runtime: Runtime,
        entry: Entry,
        course: Course,
        held: Held<'a>,
        options: Options<'a>,
        begin: Instant,
    ) -> Execution<'a> {
        let recording = recorder::begin(course.engine, || {
            let device = runtime.device_of(course.engine);
            Work::launch(entry.id(), device.name, course.vms, options.steps)
        });
        Execution {
            settings: options.settings(&runtime),
            runtime,
            entry,
            course,
            held,
            leg: None,
            results: Words::default(),
            options,
            steps_done: 0,
            before: Tally::default(),
            jobs: 0,
            begin,
            slices: Slices::default(),
            profiling: None,
            recording,
            earlier: Duration::ZERO,
            breakpoints: Vec::new(),
            shows: false,
            restored: false,
        }
    }

    /// Prepares the next leg.
    pub(crate) fn next_leg(&mut self, entrance: Entrance<'_>) -> Result<()> {
        let steps = self.options.steps - self.steps_done;
        if steps == 0 {
            return Ok(());
        }
        if let Entrance::Program = entrance {
            self.held.refresh()?;
            self.results = Words::default();
        }
        let views = self.held.views();
        let leg = Leg::new(&self.course, &views, steps, entrance, self.entry.id());
        self.leg = Some(leg?);
        Ok(())
    }

    /// Runs until no VM is running any more or the budget runs out. VMs that had yielded go on, and so does everything after any signal
    /// but [`Signal::Halt`] and [`Signal::Trap`], after which this does nothing.
    ///
    /// # Errors
    ///
    /// When the device fails. A VM's trap is no error before [`finish`](Execution::finish).
    pub fn advance(&mut self, budget: Budget) -> Result<Signal> {
        self.run_on(budget, false)
    }

    /// Whether all variables in scope are to be kept wherever a VM stands, also those that the program needs no more, which the specialised engine does not without it. It holds
    /// for VMs that an advance afterwards leaves.
    pub fn keep_variables(&mut self, keep: bool) {
        self.shows = keep;
    }

    /// As [`advance`](Execution::advance), but for VMs that stand in front of a breakpoint, which stay there: the same advance, cut to shorter ones.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn go_on(&mut self, budget: Budget) -> Result<Signal> {
        self.run_on(budget, true)
    }

    fn run_on(&mut self, budget: Budget, stays: bool) -> Result<Signal> {
        if let Some(recording) = &self.recording {
            recording.update(|headway| headway.advances = true);
        }
        let ran = self.run_within(budget, stays);
        match (&ran, self.recording.take()) {
            (Err(error), Some(recording)) => recording.end(Ending::Failed(error.to_string())),
            (Ok(_), Some(recording)) => {
                recording.update(|headway| headway.advances = false);
                self.recording = Some(recording);
            }
            (_, None) => {}
        }
        ran
    }

    fn run_within(&mut self, budget: Budget, stays: bool) -> Result<Signal> {
        if let (Some(_), Some(ranks)) = (budget.time, self.runtime.ranks()) {
            return Err(Error::TimeOverRanks {
                routine: self.entry.id().to_string(),
                ranks: ranks.count(),
            });
        }
        let begin = Instant::now();
        loop {
            let limit = Limit {
                cycles: budget.cycles,
                time: budget.time.map(|time| time.saturating_sub(begin.elapsed())),
                dispatch: self.options.dispatch,
                slice: self.options.slice,
                breakpoints: self.breakpoints.clone(),
                stays,
                shows: self.shows,
                untimed: false,
            };
            let in_time = self.round(&limit)?;
            let signal = self.signal();
            if self.answer_all_asked()? > 0 && signal == Signal::Blocked {
                match in_time && budget.cycles.is_none() {
                    true => continue,
                    false => return Ok(Signal::Checkpoint),
                }
            }
            if signal != Signal::Halt || !self.leg_is_not_the_last() {
                return Ok(signal);
            }
            self.close_leg()?;
            self.next_leg(Entrance::Program)?;
            if !in_time || budget.cycles.is_some() {
                return Ok(Signal::Checkpoint);
            }
        }
    }

    /// Lets the parts of the leg go on.
    fn round(&mut self, limit: &Limit) -> Result<bool> {
        let Execution {
            course,
            held,
            leg: Some(leg),
            results,
            options,
            steps_done,
            before,
            begin,
            slices,
            earlier,
            recording,
            ..
        } = self
        else {
            return Ok(true);
        };
        let (vms, all_steps) = (course.vms, options.steps);
        let several = leg.steps > 1;
        let mut views = held.views();
        leg.round(course, &mut views, results, limit, &mut |tally| {
            let all = continued(before, tally);
            slices.see(all.device_time, begin.elapsed());
            let steps = *steps_done + if several { tally.steps } else { 0 };
            let instructions = all.retired.map(|classes| classes.iter().sum());
            if let Some(progress) = &mut options.progress {
                progress(&Progress {
                    vms: vms.into(),
                    stopped: (tally.halted + tally.trapped).into(),
                    steps,
                    all_steps,
                    elapsed: *earlier + begin.elapsed(),
                    instructions,
                });
            }
            if let Some(recording) = recording {
                recording.update(|headway| {
                    headway.standing = Standing::from(tally);
                    headway.steps = steps;
                    headway.instructions = instructions;
                    headway.device_time = all.device_time;
                    if tally.engine != Engine::Auto {
                        headway.engine = tally.engine;
                    }
                });
            }
        })
    }

    /// Whether the launch says who answers each question that its VMs may ask.
    pub(crate) fn is_answered(&self) -> Result<()> {
        self.options.answers.cover(self.entry.id(), &self.course.program)
    }

    /// Answers what is asked, where the launch says who does. Gives how many VMs have an answer to go on with.
    fn answer_all_asked(&mut self) -> Result<usize> {
        let Execution {
            course, leg, options, ..
        } = self;
        match leg {
            Some(leg) if leg.is_blocked() || leg.tally().blocked > 0 && !options.answers.is_empty() => {
                leg.serve(course, &mut options.answers)
            }
            _ => Ok(0),
        }
    }

    /// The questions of type `Q` that VMs wait for answers to, in the order of the VMs.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime) -> gpuvm::Result<()> {
    /// use gpuvm::{Budget, Signal};
    ///
    /// let mut execution = runtime.launch("trader")?.vms(1000).start()?;
    /// while execution.advance(Budget::unlimited())? == Signal::Blocked {
    ///     let prices: Vec<(u32, f32)> = execution.questions::<u32>()?.iter().map(|asked| (asked.vm, asked.question as f32)).collect();
    ///     execution.answer_all(&prices)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn questions<Q: VmType>(&mut self) -> Result<Vec<Question<Q>>> {
        let Some(leg) = &mut self.leg else {
            return Ok(Vec::new());
        };
        let asked = leg.asked(&self.course)?;
        let wanted = asked.iter().filter(|asked| asked.asking.question.same(Q::TYPE));
        Ok(wanted.map(Question::of).collect())
    }

    /// Gives a VM the answer that it waits for. It goes on with the next [`advance`](Execution::advance).
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchVm`], [`Error::NotAsked`] if it waits for no answer of this type, or when the device fails.
    pub fn answer<A: VmType>(&mut self, vm: u32, answer: A) -> Result<()> {
        self.answer_all(&[(vm, answer)])
    }

    /// Gives VMs the answers that they wait for, as many as there are; the others wait on.
    ///
    /// # Errors
    ///
    /// As [`answer`](Execution::answer); then nobody was answered.
    pub fn answer_all<A: VmType + Copy>(&mut self, answers: &[(u32, A)]) -> Result<()> {
        let not_asked = |vm, asked: Option<&Asked>| Error::NotAsked {
            vm,
            answer: A::TYPE.to_string(),
            expected: asked.map(|asked| asked.asking.answer.to_string()),
        };
        let vms = self.course.vms;
        if let Some((vm, _)) = answers.iter().find(|(vm, _)| *vm >= vms) {
            return Err(Error::NoSuchVm {
                routine: self.entry.id().to_string(),
                vms,
                vm: *vm,
            });
        }
        let asked = match (&mut self.leg, answers) {
            (Some(leg), [(vm, _)]) => leg.asked_by(&self.course, *vm)?.into_iter().collect(),
            (Some(leg), _) => leg.asked(&self.course)?,
            (None, _) => Vec::new(),
        };
        let mut given = Vec::with_capacity(answers.len());
        for (vm, answer) in answers {
            let found = asked.binary_search_by_key(vm, |asked| asked.vm).ok();
            let found = found.map(|index| &asked[index]);
            if !found.is_some_and(|asked| asked.asking.answer.same(A::TYPE)) {
                return Err(not_asked(*vm, found));
            }
            given.push((*vm, answer_words(*vm, *answer)?));
        }
        match &mut self.leg {
            Some(leg) => leg.answer(&self.course, &given),
            None => Ok(()),
        }
    }

    /// How it stands.
    pub(crate) fn signal(&self) -> Signal {
        let Some(leg) = &self.leg else {
            return Signal::Halt;
        };
        let tally = leg.tally();
        if leg.is_blocked() {
            return Signal::Blocked;
        }
        if leg.all_over() {
            return if tally.trapped > 0 { Signal::Trap } else { Signal::Halt };
        }
        match tally {
            Tally { at_breakpoint: 1.., .. } => Signal::Breakpoint,
            Tally { running: 1.., .. } => Signal::Checkpoint,
            Tally { yielded: 1.., .. } => Signal::Yield,
            // All have halted, and the next step has not begun.
            _ => Signal::Checkpoint,
        }
    }

    /// Whether there are steps after this leg's.
    fn leg_is_not_the_last(&self) -> bool {
        let steps = self.leg.as_ref().map_or(0, |leg| leg.steps);
        self.steps_done + steps < self.options.steps
    }

    /// Ends the leg, and gives the trap of the lowest VM id.
    fn close_leg(&mut self) -> Result<Option<Trap>> {
        let Some(mut leg) = self.leg.take() else {
            return Ok(None);
        };
        let over = leg.all_over();
        let tally = leg.tally();
        let mut views = self.held.views();
        let trap = leg.close(&self.course, &mut views, &mut self.results)?;
        self.steps_done += match leg.steps {
            1 => u32::from(over && tally.trapped == 0),
            _ => tally.steps,
        };
        self.jobs += leg.parts.len() as u64;
        self.before = continued(&self.before, &tally);
        Ok(trap)
    }

    /// Runs to the end: until all VMs and steps are done, or have trapped, or wait for answers that [nobody gives](Execution::questions).
    ///
    /// A VM that never halts keeps this from returning.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn run_to_end(&mut self) -> Result<Signal> {
        self.drive(Budget::unlimited(), None)
    }

    /// Runs to the end, or until the budget for all of it is used up, or it is cancelled.
    pub(crate) fn drive(&mut self, budget: Budget, cancelled: Option<&AtomicBool>) -> Result<Signal> {
        /// So much may pass before a cancelled launch ends, or those are answered whom others do not wait for.
        const LOOK: Duration = Duration::from_millis(100);
        const ANSWER: Duration = Duration::from_millis(20);
        // Ranks look when all of them are there: they have other clocks.
        let is_one = self.runtime.ranks().is_none();
        let answers = (is_one && !self.options.answers.is_empty()).then_some(ANSWER);
        let begin = Instant::now();
        let mut cycles = budget.cycles;
        loop {
            let left = budget.time.map(|time| time.saturating_sub(begin.elapsed()));
            let look = cancelled.filter(|_| is_one).map(|_| LOOK);
            let counted = self.instructions();
            let signal = self.advance(Budget {
                cycles,
                time: left.into_iter().chain(look).chain(answers).min(),
            })?;
            let out_of_time = budget.time.is_some_and(|time| begin.elapsed() >= time);
            if !matches!(signal, Signal::Yield | Signal::Checkpoint)
                || out_of_time
                || cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed))
            {
                return Ok(signal);
            }
            // VMs have run at least their share of what was counted, and one instruction where nothing is counted.
            let share = (self.instructions().saturating_sub(counted) / u64::from(self.course.vms)).max(1);
            cycles = cycles.map(|cycles| cycles.saturating_sub(share));
            if cycles == Some(0) {
                return Ok(signal);
            }
        }
    }

    /// The id of the routine.
    pub fn routine(&self) -> &str {
        self.entry.id()
    }

    /// How many VMs there are.
    pub fn vms(&self) -> u32 {
        self.course.vms
    }

    /// What the VMs have printed so far. It is told when the execution is finished, see [`Done::logs`](crate::Done::logs).
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn logs(&mut self) -> Result<Logs> {
        let (columns, _) = self.words()?;
        let Some(words) = columns.into_iter().nth(self.entry.named()) else {
            return Ok(Logs::default());
        };
        Ok(logs::read(&self.course.program, self.course.vms, &words))
    }

    /// The column of this parameter as the VMs have left it so far. What `&mut` stood for in the process that took a
    /// [snapshot](Execution::snapshot) is read like this in the one that [restored](Runtime::restore) it.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchColumn`], [`Error::OutputType`] if its entries are of another type, or when the device fails.
    pub fn column<T: VmType>(&mut self, parameter: &str) -> Result<Vec<T>> {
        let index = self.entry.position(parameter);
        let index = index.ok_or_else(|| Error::NoSuchColumn {
            routine: self.entry.id().to_string(),
            column: parameter.to_string(),
            known: self.entry.names(),
        })?;
        let argument = &self.held.params[index].argument;
        let (element, len) = (argument.element(), argument.len());
        if !element.same(T::TYPE) {
            return Err(Error::OutputType {
                routine: self.entry.id().to_string(),
                expected: format!("`Vec<{element}>`"),
                found: format!("`Vec<{}>`", T::TYPE),
            });
        }
        let (columns, _) = self.words()?;
        Ok(read_all(len, &columns[index]))
    }
}

impl fmt::Debug for Execution<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execution")
            .field("routine", &self.entry.id())
            .field("vms", &self.course.vms)
            .field("engine", &self.options.engine)
            .field("signal", &self.signal())
            .finish_non_exhaustive()
    }
}
