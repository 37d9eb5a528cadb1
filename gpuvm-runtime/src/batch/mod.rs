//! A batch: many routines in one launch, as of a population of programs. Their programs stand one after the other in one, and each VM runs one of them.

mod fold;
mod group;
mod link;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use gpuvm_core::program::{Choice, Mode, Questions};
use gpuvm_core::routine::RoutineRef;
use gpuvm_core::settings::Settings;
use gpuvm_core::types::{TypeRef, Value, VmType};
use gpuvm_engine::Engine;

use crate::arg::{Arg, Argument, IntoArg, IntoArgs};
use crate::budget::Budget;
use crate::done::Done;
use crate::entry::{Code, Entry, Launchable};
use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::runtime::Runtime;
use crate::stats::Stats;
use crate::store::{Store, make_words};
use crate::types::column;
use crate::words::WordColumn;
use fold::Folding;
use group::{Group, MOST_INSTRUCTIONS, MOST_VMS};

/// Many routines that run in one launch, or in as few as there can be. It is being put together; nothing happens before [`run`](Batch::run).
///
/// All have the same parameters and results. Without more, each of them runs over the same *cases*, and there is a VM for each routine and case; with
/// [`choose`](Batch::choose), each VM runs the routine that its number says.
///
/// ```
/// # use gpuvm_runtime as gpuvm;
/// # fn example(runtime: &gpuvm::Runtime) -> gpuvm::Result<()> {
/// // A thousand parabolas at ten thousand places.
/// let parabolas: Vec<gpuvm::Routine> = (0..1000)
///     .map(|a| {
///         gpuvm::build("parabola", |f| {
///             let x = f.param::<f32>("x");
///             f.ret(x * x * (a as f32) + 1.0);
///         })
///     })
///     .collect::<gpuvm::Result<_>>()?;
/// let xs: Vec<f32> = (0..10_000).map(|x| x as f32 / 100.0).collect();
/// let done = runtime.batch(&parabolas)?.args((&xs,)).run()?;
/// let of_the_third: Vec<f32> = done.output(3)?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a batch does nothing until `run` is called"]
pub struct Batch<'a> {
    runtime: Runtime,
    routines: Vec<Entry>,
    args: Vec<Arg<'a>>,
    cases: Option<usize>,
    choice: Option<Vec<u32>>,
    fold: Option<Entry>,
    engine: Engine,
    budget: Budget,
    depth: Option<u32>,
    all_traps: bool,
}

impl Runtime {
    /// Begins a batch of these routines: ids, or [`Routine`](crate::Routine)s of the binary or made at run time. One may be there several times.
    ///
    /// # Errors
    ///
    /// As [`Runtime::launch`]; [`Error::Batch`] if there is none, or if one has other parameters or another result than the first, or is a linked program.
    pub fn batch<'a, L: Launchable>(&self, routines: impl IntoIterator<Item = L>) -> Result<Batch<'a>> {
        let routines: Vec<Entry> = routines.into_iter().map(L::entry).collect::<Result<_>>()?;
        check_alike(&routines)?;
        Ok(Batch {
            runtime: self.clone(),
            routines,
            args: Vec::new(),
            cases: None,
            choice: None,
            fold: None,
            engine: Engine::Auto,
            budget: Budget::unlimited(),
            depth: None,
            all_traps: false,
        })
    }
}

/// Refuses routines that differ in what the caller sees.
fn check_alike(routines: &[Entry]) -> Result<()> {
    let refused = |reason: String| Err(Error::Batch { reason });
    let mut first: Option<RoutineRef> = None;
    for entry in routines {
        let routine = match entry.code() {
            Code::Routine(routine) => routine,
            Code::Program(_) => {
                return refused(format!(
                    "`{}` is a linked program, which is launched by itself",
                    entry.id()
                ));
            }
        };
        let first = first.get_or_insert_with(|| routine.clone());
        let mut params = first.params.iter().zip(routine.params.iter());
        if first.params.len() != routine.params.len()
            || !params.all(|(a, b)| a.same(*b))
            || !first.result.same(routine.result)
        {
            return refused(format!(
                "`{}` is `{}`, and `{}` is `{}`: all routines of a batch have one signature",
                routines[0].id(),
                first.signature(),
                entry.id(),
                routine.signature()
            ));
        }
    }
    match first {
        Some(_) => Ok(()),
        None => refused("it has no routines".to_string()),
    }
}

impl<'a> Batch<'a> {
    /// The arguments, as a tuple with one entry a parameter. They mean what they mean to a [launch](Runtime::launch), but that a column has an entry for
    /// each case: `&[T]` for an `x: T`. What VMs write, `&mut [T]`, has entries for all VMs, the first routine's first.
    pub fn args(mut self, args: impl IntoArgs<'a>) -> Self {
        self.args = args.into_args();
        self
    }

    /// How many cases there are. Needed only where no argument is a column. With [`choose`](Batch::choose) it is not asked.
    pub fn cases(mut self, cases: usize) -> Self {
        self.cases = Some(cases);
        self
    }

    /// Lets each VM run one routine, by its place in the batch: VM v runs number `routines[v]`, and columns have an entry for each VM.
    pub fn choose(mut self, routines: &[u32]) -> Self {
        self.choice = Some(routines.to_vec());
        self
    }

    /// Folds what each routine returns for its cases by a routine `fn(T, T) -> T`, so that there is one result a routine: an error, a count, a best one.
    ///
    /// The order depends on nothing but the number of cases: of 256 lanes, or as many as there are cases if these are fewer, lane l folds the cases l, l + 256,
    /// l + 512, … from left to right, and what the lanes come to is folded in their order.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, formulas: &[gpuvm::Routine], x: &[f32], y: &[f32]) -> gpuvm::Result<()> {
    /// let done = runtime.batch(formulas)?.args((x, y)).fold("add")?.run()?;
    /// let errors: Vec<f32> = done.all()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Runtime::launch`], and [`Error::Batch`] for a linked program.
    pub fn fold(mut self, by: impl Launchable) -> Result<Self> {
        let by = by.entry()?;
        if by.is_program() {
            return Err(Error::Batch {
                reason: format!("`{}` is a linked program, and results are folded by a routine", by.id()),
            });
        }
        self.fold = Some(by);
        Ok(self)
    }

    /// Which engine runs it. All of them give the same results. [`Engine::Auto`] means the interpreter on a GPU, for which nothing is compiled; where the same
    /// routines come in batch after batch without a budget of instructions, they are compiled in the background, and run as fast as a launch's from then on.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// How much it may run before it gives up with [`Error::Budget`]: `Budget::cycles(n)` bounds each VM, so that routines without end do not keep the
    /// others.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// How deep calls may nest in routines with recursion, as [`Launch::depth`].
    pub fn depth(mut self, depth: u32) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Whether [`BatchDone::trapped`] names all VMs that trap, and not the first of each launch alone, as [`Launch::all_traps`].
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, formulas: &[gpuvm::Routine], x: &[f32], y: &[f32]) -> gpuvm::Result<()> {
    /// let done = runtime.batch(formulas)?.args((x, y)).fold("add")?.all_traps(true).run()?;
    /// let mut errors: Vec<f32> = done.all()?;
    /// // A formula that panics gives 0, and is none the better for it.
    /// for &(formula, _) in done.trapped() {
    ///     errors[formula] = f32::INFINITY;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn all_traps(mut self, all: bool) -> Self {
        self.all_traps = all;
        self
    }

    /// Links what is new, on all cores, and runs all to their ends. VMs that trap leave the others alone: their results are made of words that are 0, and
    /// [`BatchDone::first_trap`] tells of the first, [`BatchDone::trapped`] of all that were [asked after](Batch::all_traps).
    ///
    /// # Errors
    ///
    /// What is wrong with an argument, by its parameter's name; [`Error::Batch`] if a chosen routine is not there, or if what VMs write would have to be cut;
    /// [`Error::Link`]; [`Error::Budget`] with the results of all VMs that are done; what the device could not do.
    pub fn run(mut self) -> Result<BatchDone> {
        let begin = Instant::now();
        let first = self.routines[0].clone();
        let params = first.params().to_vec();
        if self.args.len() != params.len() {
            return Err(Error::ArgumentCount {
                routine: first.id().to_string(),
                expected: params.len(),
                parameters: first.names(),
                found: self.args.len(),
            });
        }
        let rows = match &self.choice {
            None => self.rows(&first, &params)?,
            Some(choice) => {
                let missing = choice
                    .iter()
                    .position(|routine| *routine as usize >= self.routines.len());
                if let Some(vm) = missing {
                    return Err(Error::Batch {
                        reason: format!(
                            "VM {vm} is to run routine {}, and there are {}",
                            choice[vm],
                            self.routines.len()
                        ),
                    });
                }
                choice.len()
            }
        };
        let folding = self.folding(&first, rows)?;
        let settings = Settings {
            recursion_limit: self.depth.unwrap_or(self.runtime.settings().recursion_limit),
            ..self.runtime.settings().clone()
        };
        let mut form = self.form(&params);
        let vms_each = match folding {
            Some(folding) => {
                Folding::adapt(&mut form);
                form.folding.insert(folding).lanes as usize
            }
            None => rows,
        };
        let programs = link::link_all(&self.runtime, &self.routines, &form, &settings)?;
        if let Some(asks) = programs.iter().find(|program| Questions::of(program).is_some()) {
            return Err(Error::CannotAsk {
                routine: asks.name.clone(),
                what: "a batch",
                instead: "launch it by itself, or give it what it asks for as an argument",
            });
        }
        let groups = self.groups(&programs, vms_each, &form, &settings)?;
        if groups.len() > 1 {
            self.share_columns(&form)?;
        }
        let mut done = BatchDone {
            routines: self.routines.len(),
            rows: if form.folding.is_some() { 1 } else { rows },
            chosen: self.choice.is_some(),
            parts: Vec::with_capacity(groups.len()),
            traps: 0,
            trapped: Vec::new(),
            first_trap: None,
            stats: None,
        };
        let last = groups.len() - 1;
        for (number, group) in groups.into_iter().enumerate() {
            let (program, engine) = self.program(&group, &programs, &form, &settings)?;
            let Group { routines, .. } = group;
            let vms = match self.choice {
                Some(_) => rows,
                None => vms_each * routines.len(),
            };
            let args = match number == last {
                true => std::mem::take(&mut self.args),
                false => self.args.iter().filter_map(shared).collect(),
            };
            let entry = Entry::of_batch(program, first.clone());
            let launch = self.launch(entry, engine, args, &form, rows).vms(vms);
            let mut ran = done.take(launch.run(), &routines, vms_each, self.choice.as_deref())?;
            if let Some(folding) = &form.folding {
                let program = folding.of_routines(&self.runtime, first.result(), &settings)?;
                let lanes = Arg(Argument::Read(Box::new(ran.into_column())));
                let launch = Launch::new(self.runtime.clone(), Entry::of_batch(program, first.clone()))
                    .with_args(vec![lanes])
                    .vms(routines.len())
                    .all_traps(self.all_traps)
                    .engine(self.engine_for(&[]));
                ran = done.take(launch.run(), &routines, 1, None)?;
            }
            done.parts.push(Part { routines, done: ran });
        }
        done.trapped.sort_unstable();
        done.trapped.dedup();
        if let Some(stats) = &mut done.stats {
            stats.host_time = begin.elapsed();
        }
        Ok(done)
    }

    /// How results are folded, if they are.
    fn folding(&self, first: &Entry, cases: usize) -> Result<Option<Folding>> {
        let Some(by) = &self.fold else {
            return Ok(None);
        };
        if self.choice.is_some() {
            return Err(Error::Batch {
                reason: "where each VM chooses its routine there are no cases to fold".to_string(),
            });
        }
        match by.code() {
            Code::Routine(op) => Folding::new(op, first.result(), cases).map(Some),
            Code::Program(_) => Ok(None),
        }
    }

    /// The engine for programs with such parameters.
    fn engine_for(&self, params: &[TypeRef]) -> Engine {
        match self.engine {
            Engine::Auto => self.runtime.batching(params),
            engine => engine,
        }
    }

    fn launch(
        &self,
        entry: Entry,
        engine: Engine,
        mut args: Vec<Arg<'a>>,
        form: &link::Form,
        rows: usize,
    ) -> Launch<'a> {
        match &self.choice {
            None => args.push((rows as u32).into_arg()),
            Some(choice) => args.push(Arg(Argument::Read(Box::new(WordColumn {
                element: u32::TYPE,
                entries: choice.len(),
                words: choice.clone(),
            })))),
        }
        args.extend(form.folding.as_ref().map(|folding| folding.lanes.into_arg()));
        let launch = Launch::new(self.runtime.clone(), entry)
            .with_args(args)
            .engine(engine)
            .budget(self.budget)
            .all_traps(self.all_traps);
        match self.depth {
            Some(depth) => launch.depth(depth),
            None => launch,
        }
    }

    /// How many cases there are: what `.cases(…)` says, or the length of the columns, which all have to agree.
    fn rows(&self, first: &Entry, params: &[TypeRef]) -> Result<usize> {
        let mut decided = self.cases.map(|cases| (cases, "`.cases(…)` says so".to_string()));
        for (index, (Arg(argument), ty)) in self.args.iter().zip(params).enumerate() {
            let is_value = matches!(Mode::of(*ty), Some((Mode::Value, _)));
            if !is_value || matches!(argument, Argument::Uniform(_)) {
                continue;
            }
            let parameter = first.name(index).into_owned();
            match &decided {
                None => decided = Some((argument.len(), format!("`{parameter}` has as many entries"))),
                Some((cases, _)) if *cases == argument.len() => {}
                Some((cases, why)) => {
                    return Err(Error::ArgumentLength {
                        routine: first.id().to_string(),
                        parameter,
                        expected: *cases,
                        found: argument.len(),
                        decided_by: why.clone(),
                    });
                }
            }
        }
        match decided {
            Some((cases @ 1.., _)) => Ok(cases),
            _ => Err(Error::Batch {
                reason: "nothing says how many cases there are; give a column with entries, or `.cases(n)`".to_string(),
            }),
        }
    }

    /// How the programs get at their arguments.
    fn form(&self, params: &[TypeRef]) -> link::Form {
        let in_rows = self.choice.is_none();
        let of_case = |(Arg(argument), ty): (&Arg<'_>, &TypeRef)| {
            let is_value = matches!(Mode::of(*ty), Some((Mode::Value, _)));
            in_rows && is_value && !matches!(argument, Argument::Uniform(_))
        };
        let by_case: Vec<bool> = self.args.iter().zip(params).map(of_case).collect();
        let own = params.iter().zip(&by_case).map(|(ty, by_case)| match by_case {
            true => column(ty.ty, false),
            false => *ty,
        });
        link::Form {
            params: own.chain([TypeRef::of::<u32>()]).collect(),
            by_case,
            choice: match in_rows {
                true => Choice::InRows(params.len()),
                false => Choice::Given(params.len()),
            },
            folding: None,
        }
    }

    /// Lets several launches have the arguments: columns that are read become buffers, so that they travel once.
    fn share_columns(&mut self, form: &link::Form) -> Result<()> {
        for (Arg(argument), ty) in self.args.iter_mut().zip(&form.params) {
            if ty.mutable {
                return Err(Error::Batch {
                    reason: format!(
                        "its routines take several launches, of {MOST_INSTRUCTIONS} instructions and {MOST_VMS} VMs at most each, and what VMs write cannot be cut; run several batches"
                    ),
                });
            }
            if let Argument::Read(column) = argument {
                *argument = Argument::Buffer(Arc::new(Store::new(column.to_vector().into(), make_words)));
            }
        }
        Ok(())
    }
}

/// The argument once more, if it can be shared.
fn shared<'a>(Arg(argument): &Arg<'a>) -> Option<Arg<'a>> {
    Some(Arg(match argument {
        Argument::Uniform(value) => Argument::Uniform(value.to_vector()),
        Argument::Buffer(store) => Argument::Buffer(Arc::clone(store)),
        Argument::Atomics(atomics) => Argument::Atomics(*atomics),
        _ => return None,
    }))
}

/// What a batch has come to.
#[derive(Debug)]
pub struct BatchDone {
    routines: usize,
    rows: usize,
    chosen: bool,
    parts: Vec<Part>,
    traps: u64,
    trapped: Vec<(usize, usize)>,
    first_trap: Option<BatchTrap>,
    stats: Option<Stats>,
}

/// What a launch has come to.
#[derive(Debug)]
struct Part {
    /// Its routines' numbers in the batch, in order.
    routines: Vec<usize>,
    done: Done,
}

/// A VM of a batch that trapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchTrap {
    /// The number of its routine in the batch.
    pub routine: usize,
    /// Its case, or its number where each VM chose its routine. Where results are [folded](Batch::fold), its lane, which is the remainder of the case by
    /// the number of lanes.
    pub case: usize,
    /// The source file of the place where it trapped.
    pub file: String,
    /// The line in that file.
    pub line: u32,
    /// What a native panic at that place says.
    pub message: String,
}

impl fmt::Display for BatchTrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BatchTrap {
            routine,
            case,
            file,
            line,
            message,
        } = self;
        write!(
            f,
            "routine {routine} trapped in case {case} at {file}:{line}: {message}"
        )
    }
}

impl BatchDone {
    /// How many routines it had.
    pub fn routines(&self) -> usize {
        self.routines
    }

    /// How many results each routine has: as many as there were cases, or one if they were [folded](Batch::fold). Where each VM
    /// [chose](Batch::choose) its routine, how many VMs there were.
    pub fn cases(&self) -> usize {
        self.rows
    }

    /// What one routine returned, case by case; zeros where it trapped. Where each VM chose its routine, see [`BatchDone::all`].
    ///
    /// # Errors
    ///
    /// [`Error::OutputType`] if the routines return something else, [`Error::Batch`] if there is no such routine or each VM chose its own.
    pub fn output<R: VmType>(&self, routine: usize) -> Result<Vec<R>> {
        if self.chosen || routine >= self.routines {
            return Err(Error::Batch {
                reason: match self.chosen {
                    true => "each VM chose its routine, so that `all` has the results".to_string(),
                    false => format!("there is no routine {routine}, only {} of them", self.routines),
                },
            });
        }
        for Part { routines, done } in &self.parts {
            if let Ok(place) = routines.binary_search(&routine) {
                return done.results_in(place * self.rows..(place + 1) * self.rows);
            }
        }
        Ok(Vec::new())
    }

    /// What all VMs returned: the first routine's cases, then the second's, or VM by VM where each chose its routine.
    ///
    /// # Errors
    ///
    /// [`Error::OutputType`] if the routines return something else.
    pub fn all<R: VmType>(&self) -> Result<Vec<R>> {
        let results = |part: &Part| part.done.results_in::<R>(0..part.done.stats().vms as usize);
        let mut parts: Vec<_> = self
            .parts
            .iter()
            .map(|part| Ok((part.routines.iter().peekable(), results(part)?.into_iter())))
            .collect::<Result<_>>()?;
        if let [(_, all)] = &mut parts[..] {
            return Ok(all.collect());
        }
        let mut all = Vec::with_capacity(self.routines * self.rows);
        for number in 0..self.routines {
            let part = parts
                .iter_mut()
                .find_map(|(routines, results)| routines.next_if_eq(&&number).map(|_| results));
            all.extend(part.into_iter().flat_map(|results| results.by_ref().take(self.rows)));
        }
        Ok(all)
    }

    /// How many VMs trapped.
    pub fn traps(&self) -> u64 {
        self.traps
    }

    /// The first VM that trapped: of the first routine of which one did, or, where each VM chose its routine, the first of all.
    pub fn first_trap(&self) -> Option<&BatchTrap> {
        self.first_trap.as_ref()
    }

    /// The VMs that trapped, each by its routine and its case as in [`BatchTrap`], ascending: all of them if the batch was to tell [all](Batch::all_traps), else the first of
    /// each launch that it took.
    pub fn trapped(&self) -> &[(usize, usize)] {
        &self.trapped
    }

    /// What it cost, all launches together.
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }

    /// Notes what a launch has come to in which these routines have so many VMs each.
    fn take(&mut self, ran: Result<Done>, routines: &[usize], each: usize, choice: Option<&[u32]>) -> Result<Done> {
        let part = match ran {
            Ok(done) => done,
            Err(Error::Trap(report)) => {
                let report = *report;
                let of = |vm: u32| match (choice, vm as usize) {
                    (None, vm) => (routines[vm / each], vm % each),
                    (Some(choice), vm) => (choice[vm] as usize, vm),
                };
                self.traps += report.count;
                self.trapped.extend(report.vms.iter().map(|vm| of(*vm)));
                let (routine, case) = of(report.vm);
                let trap = BatchTrap {
                    routine,
                    case,
                    file: report.file,
                    line: report.line,
                    message: report.message,
                };
                match &mut self.first_trap {
                    Some(first) if first.routine <= trap.routine => {}
                    first => *first = Some(trap),
                }
                report.done
            }
            Err(other) => return Err(other),
        };
        match &mut self.stats {
            None => self.stats = Some(part.stats().clone()),
            Some(stats) => stats.add(part.stats()),
        }
        Ok(part)
    }
}
