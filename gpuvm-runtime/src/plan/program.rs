//! Steps on an engine that runs programs: each is one kernel, or a few that work on the same column.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use gpuvm_core::types::{Type, Value};

use super::fuse::Step;
use super::kernel::{CHUNK, Column, LANES, Sketch, Source, Writer, compact, count_flags, refold, rescan};
use super::node::{Kind, Node, Use};
use super::run::{Data, Runner, empty};
use crate::arg::Argument;
use crate::bind::Bound;
use crate::engine::{Engine, Execute, Limit, Words};
use crate::error::{Error, Result};
use crate::leg::{Course, Entrance, Leg};
use crate::store::Store;
use crate::trap::Trap;
use crate::view::{Held, Seen};

/// The columns of a step.
type Columns = BTreeMap<Column, Data>;

/// A launch.
pub(super) struct UnderWay {
    name: String,
    course: Course,
    leg: Leg,
}

/// Launches that are under way at a time without anybody waiting for them.
const MOST_SENT: usize = 32;
/// VMs of all of them together. Their columns cannot be used again before they are waited for.
const MOST_VMS_SENT: u64 = 1 << 20;

/// Where a step's kernels run.
#[derive(Clone, Copy)]
struct At<'e> {
    engine: Engine,
    executor: &'e Arc<dyn Execute>,
    /// The node that errors and traps are about.
    root: usize,
}

impl<'p> Runner<'p, '_> {
    /// Runs a step.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`].
    pub fn program(&mut self, step: &Step, engine: Engine, executor: &Arc<dyn Execute>) -> Result<()> {
        let root = step.root;
        let at = At { engine, executor, root };
        self.bring_inputs(step, executor)?;
        match &self.nodes[root].kind {
            Kind::Map(_) | Kind::Zip => self.map(step, at),
            Kind::Filter(_) => self.filter(step, at),
            Kind::Reduce(of) => self.reduce(step, at, *of),
            Kind::Scan(of) => self.scan(step, at, *of),
            Kind::Input(_) | Kind::Buffer { .. } => Ok(()),
        }
    }

    /// Brings the inputs that are read more than once to the engine.
    fn bring_inputs(&mut self, step: &Step, executor: &Arc<dyn Execute>) -> Result<()> {
        let graph = &self.order.graph;
        let twice = matches!(self.nodes[step.root].kind, Kind::Scan(_) | Kind::Filter(_));
        let reads = step.members.iter().flat_map(|member| graph.reads(self.nodes, *member));
        for node in reads
            .map(|read| read.node)
            .filter(|node| twice || graph.readers[*node].len() > 1)
        {
            self.bring(node, executor)?;
        }
        Ok(())
    }

    /// What a step's programs are called: the id of its last routine.
    fn name(&self, step: &Step) -> &'static str {
        self.nodes[step.root].kind.uses().map_or("zip", |of| of.entry.id)
    }

    fn writer(&self, step: &Step, looping: bool) -> Writer<'p, '_> {
        let mut writer = Writer::new(self.name(step), self.nodes, &self.order.graph, self.fold, looping);
        for &member in step.members.iter().filter(|member| !looping || **member != step.root) {
            writer.member(member);
        }
        writer
    }

    /// The kernels of a step, as far as they depend on its nodes and not on lengths.
    pub fn sketches(&self, step: &Step) -> Vec<Sketch> {
        let Node { kind, length, .. } = &self.nodes[step.root];
        let (of, name) = (self.operand(step.root, 0), self.name(step));
        let most = self.nodes[of.node].length.most();
        match kind {
            Kind::Map(_) | Kind::Zip => vec![self.map_sketch(step).0],
            Kind::Filter(_) => vec![
                self.filter_sketch(step).0,
                count_flags(name),
                compact(name, self.nodes[of.node].element),
            ],
            Kind::Reduce(op) => vec![self.writer(step, true).fold((step.root, of), most, op.routine, None)],
            Kind::Scan(op) if length.most() > CHUNK as usize => vec![
                self.writer(step, true)
                    .fold((step.root, of), most, op.routine, Some(CHUNK)),
                self.writer(step, true).scan((step.root, of), most, op.routine, true),
            ],
            Kind::Scan(op) => vec![self.writer(step, true).scan((step.root, of), most, op.routine, false)],
            Kind::Input(_) | Kind::Buffer { .. } => Vec::new(),
        }
    }

    /// The kernel of a step of maps, and the members whose columns it stores.
    fn map_sketch(&self, step: &Step) -> (Sketch, Vec<usize>) {
        let mut writer = self.writer(step, false);
        for &node in &step.stored {
            writer.store(node, Column::Of(node));
        }
        (writer.each(), step.stored.clone())
    }

    /// The kernel that asks a filter's routine, and the members whose columns it stores beside the flags.
    fn filter_sketch(&self, step: &Step) -> (Sketch, Vec<usize>) {
        let of = self.operand(step.root, 0).node;
        let mut writer = self.writer(step, false);
        let is_stored = |node: &usize| *node != step.root && (*node == of || step.stored.contains(node));
        let stored: Vec<usize> = step.members.iter().copied().filter(is_stored).collect();
        for &node in &stored {
            writer.store(node, Column::Of(node));
        }
        writer.store(step.root, Column::Flags);
        (writer.each(), stored)
    }

    fn map(&mut self, step: &Step, at: At<'_>) -> Result<()> {
        let vms = self.length(step.root);
        let (sketch, stored) = self.map_sketch(step);
        let columns = self.columns_of(&stored, vms);
        self.launch(at, &sketch, vms, &columns)?;
        self.keep(columns);
        Ok(())
    }

    /// Columns for what members give.
    fn columns_of(&self, members: &[usize], length: usize) -> Columns {
        let blanks = members
            .iter()
            .map(|node| (Column::Of(*node), blank(self.nodes[*node].element, length)));
        blanks.collect()
    }

    /// Keeps what members have given.
    fn keep(&mut self, columns: Columns) {
        for (column, data) in columns {
            if let Column::Of(node) = column {
                self.columns[node] = Some(data);
            }
        }
    }

    fn filter(&mut self, step: &Step, at: At<'_>) -> Result<()> {
        let of = self.operand(step.root, 0).node;
        let length = self.length(of);
        let (sketch, stored) = self.filter_sketch(step);
        let mut columns = self.columns_of(&stored, length);
        columns.insert(Column::Flags, blank(bool::TYPE, length));
        self.launch(at, &sketch, length, &columns)?;
        let flags = columns.remove(&Column::Flags);
        self.keep(columns);
        let kept = match flags {
            Some(flags) if length > 0 => self.pick(at, flags, of, length)?,
            _ => empty(self.nodes[of].element),
        };
        self.kept.insert(step.root, self.entries(&kept));
        self.columns[step.root] = Some(kept);
        Ok(())
    }

    /// The entries of a node's column whose flags are set. How many each chunk has goes through the host, which has to know the sum.
    fn pick(&mut self, at: At<'_>, flags: Data, of: usize, length: usize) -> Result<Data> {
        let (element, chunks) = (self.nodes[of].element, length.div_ceil(CHUNK as usize));
        let name = self.nodes[at.root].kind.uses().map_or("", |of| of.entry.id);
        let counts = blank(u32::TYPE, chunks);
        let columns = Columns::from([(Column::From, flags.clone()), (Column::To, counts.clone())]);
        self.launch(at, &count_flags(name), chunks, &columns)?;
        let mut sums = self.words(&counts)?;
        let mut sum = 0;
        for count in &mut sums {
            sum += *count;
            *count = sum;
        }
        let kept = blank(element, sum as usize);
        if sum > 0 && element.words > 0 {
            let columns = Columns::from([
                (Column::From, self.data(of)),
                (Column::Flags, flags),
                (Column::To, kept.clone()),
                (Column::Chunks, Data::Host(Arc::new(sums))),
                (Column::Total, blank(u32::TYPE, 1)),
            ]);
            self.launch(at, &compact(name, element), chunks, &columns)?;
        }
        Ok(kept)
    }

    fn reduce(&mut self, step: &Step, at: At<'_>, op: Use) -> Result<()> {
        let (of, element) = (self.operand(step.root, 0), op.routine.result.ty);
        let mut left = self.length(of.node);
        let mut folded = None;
        for lanes in LANES.map(|lanes| lanes as usize) {
            if left == 0 || left <= lanes && lanes > 1 {
                continue;
            }
            let to = blank(element, lanes);
            let mut columns = Columns::from([(Column::To, to.clone())]);
            let sketch = match folded.take() {
                None => self.writer(step, true).fold((step.root, of), left, op.routine, None),
                Some(from) => {
                    columns.insert(Column::From, from);
                    refold(op.entry.id, op.routine, None)
                }
            };
            self.launch(at, &sketch, lanes, &columns)?;
            (left, folded) = (lanes, Some(to));
        }
        self.columns[step.root] = Some(folded.unwrap_or_else(|| empty(element)));
        Ok(())
    }

    fn scan(&mut self, step: &Step, at: At<'_>, op: Use) -> Result<()> {
        let (of, length) = (self.operand(step.root, 0), self.length(step.root));
        let fold = |runner: &Self| {
            runner
                .writer(step, true)
                .fold((step.root, of), length, op.routine, Some(CHUNK))
        };
        let scan = |runner: &Self, chunks| {
            runner
                .writer(step, true)
                .scan((step.root, of), length, op.routine, chunks)
        };
        let scanned = self.scan_by(at, op, length, None, (&fold, &scan))?;
        self.columns[step.root] = Some(scanned);
        Ok(())
    }

    /// Scans so many entries by kernels that fold chunks, and that scan them from what the chunks before come to, which is a scan of
    /// fewer entries.
    fn scan_by(&mut self, at: At<'_>, op: Use, length: usize, from: Option<Data>, by: By<'_, Self>) -> Result<Data> {
        let (fold, scan) = by;
        let element = op.routine.result.ty;
        if length == 0 {
            return Ok(empty(element));
        }
        let (to, chunks) = (blank(element, length), length.div_ceil(CHUNK as usize));
        let mut columns: Columns = from.map(|from| (Column::From, from)).into_iter().collect();
        if chunks > 1 {
            let sums = blank(element, chunks);
            columns.insert(Column::To, sums.clone());
            let sketch = fold(self);
            self.launch(at, &sketch, chunks, &columns)?;
            let fold = |_: &Self| refold(op.entry.id, op.routine, Some(CHUNK));
            let scan = |_: &Self, chunks| rescan(op.entry.id, op.routine, chunks);
            let scanned = self.scan_by(at, op, chunks, Some(sums), (&fold, &scan))?;
            columns.insert(Column::Chunks, scanned);
        }
        columns.insert(Column::To, to.clone());
        let sketch = scan(self, chunks > 1);
        self.launch(at, &sketch, chunks, &columns)?;
        Ok(to)
    }

    /// Runs a kernel.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`].
    fn launch(&mut self, at: At<'_>, sketch: &Sketch, vms: usize, columns: &Columns) -> Result<()> {
        if vms == 0 {
            return Ok(());
        }
        let name = &sketch.kernel.name;
        let too_large = || Error::TooLarge {
            routine: name.clone(),
            words: vms as u64,
            vms: vms as u64,
            engine: at.engine,
        };
        let params: Result<Vec<Bound<'_>>> = sketch
            .sources
            .iter()
            .map(|source| self.source(at.root, source, vms, columns))
            .collect();
        let memory = at.executor.memory();
        let mut held = Held::new(params?, memory.as_ref(), false)?;
        let course = Course {
            executor: Arc::clone(at.executor),
            engine: at.engine,
            program: self.runtime.link_kernel(&sketch.kernel)?,
            vms: u32::try_from(vms).map_err(|_| too_large())?,
            keep: false,
        };
        held.refresh()?;
        let mut views = held.views();
        let leg = Leg::new(&course, &views, 1, Entrance::Program, name)?;
        let mut under_way = UnderWay {
            name: name.clone(),
            course,
            leg,
        };
        if self.can_send(&under_way.course)? && under_way.leg.send(&under_way.course, &views)? {
            self.sent.push_back(under_way);
            return Ok(());
        }
        self.wait_for(under_way, &mut views)
    }

    /// Sees to room for a launch among those that are under way; false if it must not be sent off without a look at how it ends: because
    /// it can trap, there is no engine's memory to leave its columns in, or it is so large that a wait is nothing to it.
    fn can_send(&mut self, course: &Course) -> Result<bool> {
        let large = u64::from(course.vms) > MOST_VMS_SENT;
        if large || course.executor.memory().is_none() || !course.program.sites.is_empty() {
            return Ok(false);
        }
        let vms = |sent: &VecDeque<UnderWay>| sent.iter().map(|sent| u64::from(sent.course.vms)).sum::<u64>();
        while self.sent.len() >= MOST_SENT || vms(&self.sent) + u64::from(course.vms) > MOST_VMS_SENT {
            match self.sent.pop_front() {
                Some(first) => self.wait_for(first, &mut [])?,
                None => break,
            }
        }
        Ok(true)
    }

    /// Waits for all launches that were sent off.
    ///
    /// # Errors
    ///
    /// When the device fails.
    pub fn settle(&mut self) -> Result<()> {
        while let Some(sent) = self.sent.pop_front() {
            self.wait_for(sent, &mut [])?;
        }
        Ok(())
    }

    /// Brings a launch to its end.
    fn wait_for(&mut self, under_way: UnderWay, views: &mut [Seen<'_>]) -> Result<()> {
        let UnderWay { name, course, mut leg } = under_way;
        let (mut results, limit) = (Words::default(), Limit::default());
        while !leg.all_over() {
            leg.round(&course, views, &mut results, &limit, &mut |_| {})?;
        }
        let tally = leg.tally();
        self.add(&tally);
        match leg.close(&course, views, &mut results)? {
            None => Ok(()),
            Some(record) => {
                let trap = Trap::of(&course.program, &record);
                Err(self.trapped(&name, course.vms as usize, trap, tally.trapped.into()))
            }
        }
    }

    /// What stands for a launch parameter.
    fn source(&self, root: usize, source: &Source, vms: usize, columns: &Columns) -> Result<Bound<'p>> {
        match source {
            Source::Node(from, parameter, read) => self.bound(*from, *parameter, *read, vms),
            Source::Value(value) => Ok(Bound {
                mode: crate::arg::Mode::Value,
                argument: Argument::Uniform(value.to_vector()),
            }),
            Source::Column(column, mode) => {
                let data = columns.get(column).cloned();
                Ok(Bound {
                    mode: *mode,
                    argument: self.argument(&data.unwrap_or_else(|| empty(self.nodes[root].element))),
                })
            }
        }
    }
}

/// How to fold a column's chunks, and how to scan it.
type By<'b, R> = (&'b dyn Fn(&R) -> Sketch, &'b dyn Fn(&R, bool) -> Sketch);

/// A column that is about to be written.
fn blank(element: &'static Type, entries: usize) -> Data {
    Data::Store(Arc::new(Store::blank(element, entries)))
}
