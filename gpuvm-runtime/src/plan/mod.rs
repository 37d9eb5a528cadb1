//! Programs of phases: routines that pass columns on to each other. A [`Plan`] is a graph of nodes; it is checked as it grows, and run as
//! a whole, so that columns stay where the engine works, chains of routines become one program, and memory is used again.

mod add;
mod data;
mod done;
mod draft;
mod fuse;
mod graph;
mod groups;
mod input;
mod kernel;
mod keys;
mod launch;
mod library;
mod log;
mod native;
mod node;
mod operators;
mod order;
mod prepared;
mod profile;
mod program;
mod repeat;
pub mod report;
mod run;
mod selects;
mod sizes;
mod sorts;
mod stats;
mod tiles;
mod trace;
mod under_way;
mod until;
mod verbs;
mod zeros;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use gpuvm_core::types::VmType;

use crate::arg::IntoArgs;
use crate::buffer::Buffer;
use crate::entry::Launchable;
use crate::error::Result;
use crate::questions::{Handlers, Question};
use crate::runtime::Runtime;

pub use crate::error::PlanError;
pub use crate::handle::Handle;
pub use done::PlanDone;
pub use groups::Groups;
pub use input::{Handles, PlanInput};
pub use report::Explanation;
pub use stats::{PlanStats, StepStats};

use gpuvm_engine::Engine;
use node::{Kind, Length, Node};
use prepared::Prepared;
use report::Report;
use run::Run;

/// A program of several routines that is being put together: a graph of nodes, each of which gives a column.
///
/// A node is checked when it is added, so an error names the node and the parameter. Nothing runs before [`run`](Plan::run), which may be
/// called again. Nodes that do not depend on each other are in one phase.
///
/// ```
/// # use gpuvm_runtime as gpuvm;
/// # fn example(runtime: &gpuvm::Runtime, pixels: &[(f32, f32, f32)]) -> gpuvm::Result<()> {
/// let mut plan = runtime.plan();
/// let image = plan.input(pixels);
/// let gray = plan.map("grayscale", (image,))?;
/// let edges = plan.map("edges", (image,))?; // the same phase as grayscale
/// let mixed = plan.map("combine", (gray, edges))?; // the next phase
/// let total = plan.reduce("add", mixed)?;
/// let done = plan.run()?;
/// let out: Vec<f32> = done.get(mixed)?;
/// let sum: Vec<f32> = done.get(total)?;
/// println!("{}", plan.explain());
/// # Ok(())
/// # }
/// ```
///
/// # Optimisations
///
/// All of them are on, and none changes a bit of a result: [`fuse`](Plan::fuse), [`share`](Plan::share), [`fold`](Plan::fold) and
/// [`reuse`](Plan::reuse). Nodes that lead to no output are left out, so a trap that a VM of theirs would meet does not occur; where VMs of
/// several nodes trap, which of these is told first may depend on what was fused.
pub struct Plan<'a> {
    runtime: Runtime,
    /// Tells its handles from other plans'.
    id: u64,
    nodes: Vec<Node<'a>>,
    outputs: Vec<Handle>,
    /// The loops whose bodies are being made, each in the one before.
    scopes: Vec<usize>,
    options: Options,
    /// What its runs have in common, until it is changed.
    prepared: OnceLock<Prepared>,
    /// Who answers what VMs ask.
    answers: Mutex<Handlers<'a>>,
}

/// How a plan is run.
#[derive(Clone, Copy, Debug)]
struct Options {
    engine: Engine,
    fuse: bool,
    share: bool,
    fold: bool,
    reuse: bool,
    trace: bool,
    profile: bool,
}

impl Runtime {
    /// Begins a plan: a program of several routines that pass columns on to each other.
    pub fn plan<'a>(&self) -> Plan<'a> {
        Plan::new(self.clone())
    }
}

impl<'a> Plan<'a> {
    fn new(runtime: Runtime) -> Plan<'a> {
        static PLANS: AtomicU64 = AtomicU64::new(0);
        Plan {
            runtime,
            id: PLANS.fetch_add(1, Ordering::Relaxed),
            nodes: Vec::new(),
            outputs: Vec::new(),
            scopes: Vec::new(),
            options: Options {
                engine: Engine::Auto,
                fuse: true,
                share: true,
                fold: true,
                reuse: true,
                trace: false,
                profile: false,
            },
            prepared: OnceLock::new(),
            answers: Mutex::default(),
        }
    }

    /// A column to read: `&[T]`, `&Vec<T>`, `&[T; N]`, or a `Vec<T>` that the plan keeps.
    pub fn input(&mut self, column: impl PlanInput<'a>) -> Handle {
        self.add_input(column.into_column().into_box())
    }

    /// A buffer to read or write. At most one node writes it, and all nodes that only read it see what that node has left, also if they
    /// were added before.
    pub fn buffer<T: VmType>(&mut self, buffer: &Buffer<T>) -> Handle {
        self.add_buffer(buffer.store())
    }

    /// A column of the plan's own that nodes can write: a buffer in every way, but that it is all zeros at the beginning of each run, and
    /// takes memory only from the first node that uses it to the last. For bins to count in, and for slots to fill.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, keys: &[u32]) -> gpuvm::Result<()> {
    /// let mut plan = runtime.plan();
    /// let keys = plan.input(keys);
    /// let bins = plan.zeros::<u32>(256);
    /// plan.map("count", (keys, bins))?; // fn count(key: u32, bins: &[AtomicU32])
    /// let ends = plan.scan("add", bins)?; // after `count`
    /// # Ok(())
    /// # }
    /// ```
    pub fn zeros<T: VmType>(&mut self, length: usize) -> Handle {
        self.add_zeros::<T>(length)
    }

    /// A routine with one VM an entry, and the column of what it returns.
    ///
    /// The arguments are a tuple with one entry a parameter: handles, columns, buffers, or one value for all VMs. What a handle means is
    /// the parameter's affair, as in a launch: each VM its own entry of the column, the whole column for `&[T]`, and for what VMs write it
    /// has to be a buffer's. There are as many VMs as the columns have entries of which each VM sees its own; a column of one entry among
    /// longer ones is one value for all.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`](crate::Error::UnknownId), or [`PlanError`] with what does not fit.
    pub fn map(&mut self, id: impl Launchable, args: impl IntoArgs<'a>) -> Result<Handle> {
        self.add_map(id.entry()?, args.into_args(), None)
    }

    /// [`map`](Plan::map) with so many VMs, where no column says how many.
    ///
    /// # Errors
    ///
    /// As [`Plan::map`].
    pub fn generate(&mut self, id: impl Launchable, vms: usize, args: impl IntoArgs<'a>) -> Result<Handle> {
        self.add_map(id.entry()?, args.into_args(), Some(vms))
    }

    /// All entries of a column folded into one by a routine `fn(T, T) -> T`: a column of one entry, which is also a value for all VMs of a
    /// [`map`](Plan::map). Of no entries there is none.
    ///
    /// The order depends on nothing but the number of entries n. Lane `i` of L folds `x[i]`, `x[i + L]`, `x[i + 2L]`, … from left to
    /// right, where L is the least of 1, 2⁶, 2¹² and 2¹⁶ that gives each at most 64 entries, and 2¹⁶ if none does. Then what each 64
    /// neighbours come to, lanes `64k` to `64k + 63`, is folded from left to right. That gives L / 64 entries, which are folded in the
    /// same way, until L is 1.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`](crate::Error::UnknownId), or [`PlanError`] if the routine is no such function, asks for `vm::id()`, yields or
    /// halts.
    pub fn reduce(&mut self, id: impl Launchable, column: Handle) -> Result<Handle> {
        self.add_operator(id.entry()?, column, Kind::Reduce, |_| Length::Known(1))
    }

    /// For each entry of a column what all up to it and including it come to, folded by a routine `fn(T, T) -> T`.
    ///
    /// The order depends on nothing but the number of entries. Chunks of 16 entries are folded from left to right; what they come to is
    /// scanned, in the same way if there are more than 16 of them; then each chunk is folded once more, from what the chunks before it
    /// come to.
    ///
    /// # Errors
    ///
    /// As [`Plan::reduce`].
    pub fn scan(&mut self, id: impl Launchable, column: Handle) -> Result<Handle> {
        self.add_operator(id.entry()?, column, Kind::Scan, |length| length)
    }

    /// The entries of a column for which a routine `fn(T) -> bool` says so, in their order. How many there are is known when the plan
    /// runs; later nodes have as many VMs.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`](crate::Error::UnknownId), or [`PlanError`] if the routine is no such function, yields or halts.
    pub fn filter(&mut self, id: impl Launchable, column: Handle) -> Result<Handle> {
        self.add_filter(id.entry()?, column)
    }

    /// The entries of a column in ascending order, those that are equal in theirs. They can be integers of up to 64 bits, `bool`s, `char`s, and
    /// floats, which are in the order of `total_cmp`, but that all NaNs, which are one value, come last.
    ///
    /// On a GPU it is a radix sort, which takes a pass over all entries for each 8 bits; elsewhere it is rayon's.
    ///
    /// # Errors
    ///
    /// [`PlanError::Argument`] if the entries are something else: [`sort_by_key`](Plan::sort_by_key) sorts those.
    pub fn sort(&mut self, column: Handle) -> Result<Handle> {
        self.add_sort(None, column)
    }

    /// The entries of a column in ascending order of what a routine `fn(T) -> K` gives for each, where `K` is what [`sort`](Plan::sort) sorts.
    /// Entries of equal keys stay in their order. To sort one column by another, [`zip`](Plan::zip) them.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, distances: &[f32], names: &[u32]) -> gpuvm::Result<()> {
    /// let mut plan = runtime.plan();
    /// let (distances, names) = (plan.input(distances), plan.input(names));
    /// let pairs = plan.zip((distances, names))?;
    /// let nearest = plan.sort_by_key("first", pairs)?; // fn first(pair: (f32, u32)) -> f32
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`](crate::Error::UnknownId), or [`PlanError`] if the routine is no such function, yields or halts.
    pub fn sort_by_key(&mut self, id: impl Launchable, column: Handle) -> Result<Handle> {
        self.add_sort(Some(id.entry()?), column)
    }

    /// A column of tuples of several columns' entries, of one length: `plan.zip((a, b))` or `plan.zip([a, b, c])`.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if a length differs.
    pub fn zip(&mut self, columns: impl Handles) -> Result<Handle> {
        self.add_zip(&columns.into_handles())
    }

    /// Repeats a part of a plan: `body` is called `times` times, and makes the next states of the states, which keep their types and
    /// lengths. Each call adds its nodes to the plan; programs are linked once for all of them.
    ///
    /// # Errors
    ///
    /// [`PlanError::State`], or the body's.
    pub fn iterate<const N: usize>(
        &mut self,
        times: usize,
        states: [Handle; N],
        mut body: impl FnMut(&mut Plan<'a>, [Handle; N]) -> Result<[Handle; N]>,
    ) -> Result<[Handle; N]> {
        let mut now = states;
        for _ in 0..times {
            let next = body(self, now)?;
            for (index, (before, after)) in states.iter().zip(&next).enumerate() {
                self.check_state(index, *before, *after)?;
            }
            now = next;
        }
        Ok(now)
    }

    /// Repeats a part of a plan until a flag is set, or `most` times if it is not. `body` is called once. It makes the next states of the
    /// states, which keep their types and lengths, and a flag: a column of one `bool`, which is looked at after each turn. What comes of
    /// it are the states after the last turn, and a column of one `u32`: how many turns there were.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, cells: &[u32]) -> gpuvm::Result<()> {
    /// let mut plan = runtime.plan();
    /// let first = plan.input(cells);
    /// let ([last], turns) = plan.iterate_until(10_000, [first], |plan, [cells]| {
    ///     let next = plan.map("live", (cells, cells))?; // fn live(cell: u32, all: &[u32]) -> u32
    ///     let same = plan.map("equal", (cells, next))?; // fn equal(a: u32, b: u32) -> bool
    ///     let still = plan.reduce("and", same)?; // fn and(a: bool, b: bool) -> bool
    ///     Ok(([next], still))
    /// })?;
    /// plan.output(last).output(turns);
    /// let done = plan.run()?;
    /// println!("{:?} after {:?} generations", done.get::<u32>(last)?, done.get::<u32>(turns)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The body can use what was there before it, loops too; of its own nodes only the states are there after it. A buffer that the body
    /// writes is written in place, turn by turn, and not after the last. Zeros that the body makes are zeros again in each turn. A state
    /// that is a buffer is a copy of it.
    ///
    /// On a GPU up to 32 turns are sent ahead, and the device itself keeps those after the last from starting. The host has to look in each
    /// turn where the body filters or sorts, or has such a loop in it.
    ///
    /// # Errors
    ///
    /// [`PlanError::State`], [`PlanError::Argument`] if the flag is no column of one `bool`, [`PlanError::Cycle`], or the body's. What the
    /// body has added does not run then.
    pub fn iterate_until<const N: usize>(
        &mut self,
        most: usize,
        states: [Handle; N],
        body: impl FnOnce(&mut Plan<'a>, [Handle; N]) -> Result<([Handle; N], Handle)>,
    ) -> Result<([Handle; N], Handle)> {
        let (of, states) = self.open_loop(most, states)?;
        let made = body(self, states).and_then(|(next, flag)| self.close_loop(of, states, next, flag));
        if made.is_err() {
            self.abandon_loop(of);
        }
        made
    }

    /// Keeps a node's column for [`PlanDone::get`]. A plan without outputs keeps the columns of all its nodes, which hinders most
    /// optimisations.
    pub fn output(&mut self, column: Handle) -> &mut Self {
        self.outputs.push(column);
        self.changed()
    }

    /// Which engine runs it. All of them give the same results.
    pub fn engine(&mut self, engine: Engine) -> &mut Self {
        self.options.engine = engine;
        self
    }

    /// Whether maps become one program with the only node that reads them.
    pub fn fuse(&mut self, on: bool) -> &mut Self {
        self.options.fuse = on;
        self.changed()
    }

    /// Whether equal nodes are computed once.
    pub fn share(&mut self, on: bool) -> &mut Self {
        self.options.share = on;
        self.changed()
    }

    /// Whether values for all VMs become constants of programs.
    pub fn fold(&mut self, on: bool) -> &mut Self {
        self.options.fold = on;
        self.changed()
    }

    /// Whether the memory of a column is used again when its last reader is done. What is sent off together keeps its columns until it has
    /// ended, up to 256 MiB.
    pub fn reuse(&mut self, on: bool) -> &mut Self {
        self.options.reuse = on;
        self
    }

    /// Who answers what the VMs of its nodes [ask](crate::native::vm::ask), as [`Launch::answer`](crate::launch::Launch::answer) says it of a launch. The
    /// number of a VM is that of the element that it computes.
    pub fn answer<Q: VmType, A: VmType>(&mut self, answer: impl FnMut(u32, Q) -> A + Send + 'a) -> &mut Self {
        self.answers
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .add(answer);
        self
    }

    /// The same with all questions at once that wait for an answer, as [`Launch::answer_all`](crate::launch::Launch::answer_all).
    pub fn answer_all<Q: VmType, A: VmType>(
        &mut self,
        answer: impl FnMut(&[Question<Q>]) -> Vec<A> + Send + 'a,
    ) -> &mut Self {
        self.answers
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .add_all(answer);
        self
    }

    /// Whether runs note when what happened, for [`PlanDone::trace_json`], and what each step has cost, for [`PlanStats::steps`]. Off if
    /// nobody asks, and then it costs nothing. Results are the same bits. Each step is waited for before the next one begins, so that
    /// times are its own, and a run takes longer than it would otherwise.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, pixels: &[(f32, f32, f32)]) -> gpuvm::Result<()> {
    /// let mut plan = runtime.plan();
    /// let gray = plan.map("grayscale", (pixels,))?;
    /// plan.reduce("add", gray)?;
    /// let done = plan.trace(true).run()?;
    /// println!("{}", done.stats()); // a line for each step: estimates, and what was measured
    /// let trace = done.trace_json().unwrap_or_default(); // to be opened in ui.perfetto.dev
    /// # Ok(())
    /// # }
    /// ```
    pub fn trace(&mut self, on: bool) -> &mut Self {
        self.options.trace = on;
        self
    }

    /// Whether to find out where the instructions of a run go, as [`Launch::profile`](crate::Launch::profile) does of a launch: [`PlanDone::profile`] has them by step, source
    /// line, routine, stack and VM. Its page has the plan's graph and when each step ran, too. With the environment variable `GPUVM_PROFILE` naming a folder, every run leaves the page
    /// and folded stacks there.
    ///
    /// What is counted is what runs: the kernels that steps become, and on the native engine the functions of nodes, one node after the other. Of each kernel a launch is sampled when what it
    /// reads is there, in a loop its first, its second, third, fifth, ninth and so on, within 2²⁴ instructions in all, of which each step has its share. What the engine does itself, as a sort of
    /// keys, is no VM's work, and has times but no instructions. Results are the same bits. A launch that is sampled waits for those before, and a profiled run is [traced](Plan::trace), so it takes longer
    /// than another one; the copies that are made for samples are in none of its times.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// # fn example(runtime: &gpuvm::Runtime, pixels: &[(f32, f32, f32)]) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut plan = runtime.plan();
    /// let gray = plan.map("grayscale", (pixels,))?;
    /// plan.reduce("add", gray)?;
    /// let done = plan.profile(true).run()?;
    /// if let Some(profile) = done.profile() {
    ///     println!("{profile}");
    ///     std::fs::write("plan.html", profile.html())?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn profile(&mut self, on: bool) -> &mut Self {
        self.options.profile = on;
        self
    }

    /// Runs it to its end. What it has found out, its kernels among it, serves later runs too, until the plan is changed.
    ///
    /// Steps run in the order of their phases, and columns stay in the engine's memory in between. On a GPU the kernels of many steps are
    /// sent off in one submission, and nobody waits for them one by one: if a VM traps, yields or takes long, the device itself keeps the
    /// later ones from starting. The host looks at the end, before a sort, before what reads the entries that a filter keeps, because that has as many
    /// VMs as there are, and now and then in a loop that goes on until a flag is set. Buffers are locked from the first node that uses them until the host
    /// looks.
    ///
    /// # Errors
    ///
    /// [`PlanError::Cycle`]; [`PlanError::OtherPlan`] or [`PlanError::Inside`] for an output of another plan or of a loop's body;
    /// [`PlanError::NoValue`] and the like where lengths turn out so; what the device could not do; [`Error::Trap`](crate::Error::Trap) with the first trap by VM id of the first node in which one trapped.
    pub fn run(&self) -> Result<PlanDone> {
        let mut lost = Vec::new();
        loop {
            let device = self.runtime.device().name.clone();
            let lead = self.runtime.lead();
            let mut run = self.runner()?;
            run.options.profile |= crate::profile::is_asked_for();
            match run.run(self.id) {
                Err(crate::Error::DeviceLost { .. })
                    if self.runs_again() && lost.len() < self.runtime.members().len() =>
                {
                    self.runtime.lose(lead);
                    tracing::warn!(device, "device lost; the plan runs again on what is left");
                    lost.push(device);
                }
                Ok(done) => return Ok(done.after_losses(lost)),
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether it can run from its beginning once more when a device was lost on the way: there are others, and it has not written to buffers.
    fn runs_again(&self) -> bool {
        let writes = |node: &Node<'_>| match &node.kind {
            Kind::Buffer { writer, .. } => node.kind.is_given() && writer.is_some(),
            _ => false,
        };
        self.runtime.members().len() > 1 && !self.nodes.iter().any(writes)
    }

    /// What it does, as plain data.
    ///
    /// # Errors
    ///
    /// [`PlanError::Cycle`], or [`Error::Link`](crate::Error::Link) if its programs cannot be linked.
    pub fn report(&self) -> Result<Report> {
        Report::of(&self.runner()?)
    }

    /// What it does, for a person: its phases, the programs that they become, columns and memory; or why it cannot run.
    pub fn explain(&self) -> Explanation {
        Explanation::new(self.report())
    }

    /// What it does, as JSON: a [`Report`] with the names of its fields. Sizes are in bytes, and what depends on data is `null`.
    ///
    /// ```json
    /// {
    ///   "engine": "specialized",
    ///   "nodes": [{ "label": "input 0", "kind": "input", "element": "u32", "entries": 256, "bytes": 1024, … }, …],
    ///   "phases": [[1], [2, 3]],
    ///   "steps": [{ "members": [1, 2], "stored": [2], "kernels": [{ "instructions": 7, "estimated_epochs": 7, … }] }, …],
    ///   "columns": [{ "node": 2, "bytes": 1024, "from_step": 0, "free_from_step": 2, "can_replace": null }, …],
    ///   "peak_bytes": 3072,
    ///   "peak_bytes_without_reuse": 9216,
    ///   "matrices": { "sparse": 2, "dense": 0, "bytes": 96, "bytes_all_dense": 800 }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Plan::report`].
    pub fn explain_json(&self) -> Result<String> {
        Ok(self.report()?.to_json())
    }

    /// Its graph in the language of [Graphviz](https://graphviz.org): `dot -Tsvg` draws it. Nodes that run as one program have a frame
    /// around them, outputs a double border, and what does not run is dotted.
    ///
    /// # Errors
    ///
    /// As [`Plan::report`].
    pub fn explain_dot(&self) -> Result<String> {
        Ok(self.report()?.to_dot())
    }

    /// Its graph as a picture, in SVG: what is given is blue, outputs are green, what does not run is dotted, and nodes that run as one
    /// program have a frame around them.
    ///
    /// # Errors
    ///
    /// As [`Plan::report`].
    pub fn explain_svg(&self) -> Result<String> {
        Ok(self.report()?.to_svg())
    }

    /// To be called whenever something changes what runs.
    fn changed(&mut self) -> &mut Self {
        self.prepared = OnceLock::new();
        self
    }

    /// The node of a handle, if it is one of this plan's.
    fn known(&self, handle: Handle) -> Option<usize> {
        (handle.plan == self.id).then_some(handle.node)
    }

    /// A run that has not begun.
    fn runner(&self) -> Result<Run<'_, 'a>> {
        Ok(Run::new(
            &self.runtime,
            &self.nodes,
            self.prepared()?,
            self.chosen()?,
            self.options,
            &self.answers,
        ))
    }

    /// The engine to run on.
    fn chosen(&self) -> Result<Engine> {
        let yields = |node: &Node<'_>| node.kind.uses().is_some_and(|of| of.nature.yields);
        let uses = || self.nodes.iter().filter_map(|node| node.kind.uses());
        let params = || uses().flat_map(|of| of.routine.params.iter());
        match self.options.engine {
            Engine::Auto if self.runtime.auto(params()) == Engine::Native && !self.nodes.iter().any(yields) => {
                Ok(Engine::Native)
            }
            Engine::Auto => self.runtime.pausing(Engine::Auto, params()),
            engine => Ok(engine),
        }
    }
}

impl std::fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let labels = self
            .nodes
            .iter()
            .enumerate()
            .map(|(number, node)| node.kind.label(number));
        f.debug_struct("Plan")
            .field("nodes", &labels.collect::<Vec<_>>())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
