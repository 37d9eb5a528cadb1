//! Steps on an engine that runs programs: each is one kernel, or a few that work on the same column.

use std::sync::Arc;

use gpuvm_core::routine::Routine;
use gpuvm_core::types::Type;
use gpuvm_engine::{Engine, Execute};

use super::data::{Data, empty};
use super::fuse::Step;
use super::kernel::{Column, NEIGHBOURS, SCAN_CHUNK, Sketch, Writer, lanes, neighbours, refold, rescan};
use super::keys::Keys;
use super::node::{Kind, Node, Use};
use super::run::Run;
use crate::error::Result;
use crate::store::{Store, make_words};

/// The columns of a step. They are few.
pub(super) struct Columns(Vec<(Column, Data)>);

impl Columns {
    /// What a column is, if it is one of them.
    pub fn get(&self, column: Column) -> Option<&Data> {
        self.0.iter().find(|(known, _)| *known == column).map(|(_, data)| data)
    }

    /// Adds a column, in place of the one that was so called.
    pub fn put(&mut self, column: Column, data: Data) {
        self.0.retain(|(known, _)| *known != column);
        self.0.push((column, data));
    }
}

impl<I: IntoIterator<Item = (Column, Data)>> From<I> for Columns {
    fn from(columns: I) -> Columns {
        Columns(columns.into_iter().collect())
    }
}

/// Where a step's kernels run.
#[derive(Clone, Copy)]
pub(super) struct At<'e> {
    pub engine: Engine,
    pub executor: &'e Arc<dyn Execute>,
    /// The node that errors and traps are about.
    pub root: usize,
}

impl<'p> Run<'p, '_> {
    /// Runs a step.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`].
    pub fn program(&mut self, step: &Step, engine: Engine, executor: &Arc<dyn Execute>) -> Result<()> {
        let root = step.root;
        let at = At { engine, executor, root };
        self.bring_inputs(step, executor)?;
        let nodes = self.nodes;
        match &nodes[root].kind {
            Kind::Map(_) | Kind::Zip | Kind::Field(_) | Kind::Copy => self.map(step, at),
            Kind::Filter(_) => self.filter(step, at),
            Kind::Dedup { last } => self.dedup(step, at, *last),
            Kind::Sort(_) => self.sort(step, at),
            Kind::Reduce(of) => self.reduce(step, at, of),
            Kind::ReduceGroups(of) => self.reduce_groups(step, at, of),
            Kind::Scan(of) => self.scan(step, at, of),
            Kind::Loop(of) => self.repeat(step, of, Some(executor)),
            Kind::Input(_) | Kind::Buffer { .. } | Kind::State { .. } | Kind::Result { .. } => Ok(()),
        }
    }

    /// Brings the inputs that are read more than once, or by launches that nobody waits for, to the engine.
    fn bring_inputs(&mut self, step: &Step, executor: &Arc<dyn Execute>) -> Result<()> {
        let (nodes, graph) = (self.nodes, &self.order.graph);
        let twice = matches!(
            nodes[step.root].kind,
            Kind::Scan(_)
                | Kind::ReduceGroups(_)
                | Kind::Filter(_)
                | Kind::Dedup { .. }
                | Kind::Sort(_)
                | Kind::Loop(_)
        );
        let in_a_row = self.under_way.is_possible();
        let reads = step.members.iter().flat_map(|member| graph.reads(nodes, *member));
        for node in reads
            .map(|read| read.node)
            .filter(|node| in_a_row || twice || graph.readers[*node].len() > 1)
        {
            self.bring(node, executor)?;
        }
        Ok(())
    }

    /// What a step's programs are called: the id of its last routine.
    fn name(&self, step: &Step) -> &str {
        match &self.nodes[step.root].kind {
            Kind::Copy => "copy",
            Kind::Field(_) => "field",
            Kind::Dedup { .. } => "dedup",
            Kind::Sort(None) => "sort",
            kind => kind.uses().map_or("zip", |of| of.entry.id()),
        }
    }

    /// What writes a kernel of a step's nodes; where VMs have several elements, not of its root.
    pub fn writer(&self, step: &Step, looping: bool) -> Writer<'p, '_> {
        let members = step.members.iter().copied();
        self.writer_of(step, looping, members.filter(|member| !looping || *member != step.root))
    }

    /// What writes a kernel of those of a step's nodes.
    pub fn writer_of(&self, step: &Step, looping: bool, members: impl Iterator<Item = usize>) -> Writer<'p, '_> {
        let mut writer = Writer::new(
            self.name(step),
            self.nodes,
            &self.order.graph,
            self.options.fold,
            looping,
        );
        members.for_each(|member| writer.member(member));
        writer
    }

    /// The kernels of a step, as far as they depend on its nodes and not on lengths.
    pub fn sketches(&self, step: &Step) -> Vec<Sketch> {
        let Node { kind, length, .. } = &self.nodes[step.root];
        let of = self.operand(step.root, 0);
        let most = self.nodes[of.node].length.most();
        match kind {
            Kind::Map(_) | Kind::Zip | Kind::Field(_) | Kind::Copy => vec![self.map_sketch(step)],
            Kind::Filter(_) => vec![self.filter_sketch(step)],
            Kind::Dedup { .. } => self.dedup_sketch(step).into_iter().collect(),
            Kind::Sort(_) => {
                let keys = Keys::of_sort(self.nodes, step.root).into_iter();
                keys.map(|keys| self.keys_sketch(step, keys)).collect()
            }
            Kind::Reduce(op) => vec![self.writer(step, true).fold((step.root, of), most, &op.routine, None)],
            Kind::ReduceGroups(op) => vec![self.groups_sketch(step, op, most, 0)],
            Kind::Scan(op) if length.most() > SCAN_CHUNK as usize => vec![
                self.writer(step, true)
                    .fold((step.root, of), most, &op.routine, Some(SCAN_CHUNK)),
                self.writer(step, true).scan((step.root, of), most, &op.routine, true),
            ],
            Kind::Scan(op) => vec![self.writer(step, true).scan((step.root, of), most, &op.routine, false)],
            _ => Vec::new(),
        }
    }

    /// The kernel of a step of maps.
    fn map_sketch(&self, step: &Step) -> Sketch {
        let mut writer = self.writer(step, false);
        for &node in &step.stored {
            writer.store(node, Column::Of(node));
        }
        writer.each()
    }

    /// The members whose columns the first kernel of a filter or a sort stores.
    pub fn stored_beside(&self, step: &Step) -> Vec<usize> {
        let of = self.operand(step.root, 0).node;
        let is_stored = |node: &usize| *node != step.root && (*node == of || step.stored.contains(node));
        step.members.iter().copied().filter(is_stored).collect()
    }

    fn map(&mut self, step: &Step, at: At<'_>) -> Result<()> {
        let vms = self.length(step.root);
        let columns = self.columns_of(&step.stored, vms);
        let kernel = self.kernel(|runner| runner.map_sketch(step))?;
        self.launch(at, &kernel, vms, &columns)?;
        self.keep(columns);
        Ok(())
    }

    /// Columns for what members give. What a VM that halts would have given is made of zeros.
    pub fn columns_of(&self, members: &[usize], length: usize) -> Columns {
        let of = |node: &usize| {
            let Node { kind, element, .. } = &self.nodes[*node];
            let column = match kind.uses() {
                Some(of) if of.nature.halts => Data::Store(Arc::new(Store::zeros(element, length, make_words))),
                _ => blank(element, length),
            };
            (Column::Of(*node), column)
        };
        Columns::from(members.iter().map(of))
    }

    /// Keeps what members have given.
    pub fn keep(&mut self, columns: Columns) {
        for (column, data) in columns.0 {
            if let Column::Of(node) = column {
                self.columns[node] = Some(data);
            }
        }
    }

    fn reduce(&mut self, step: &Step, at: At<'_>, op: &Use) -> Result<()> {
        let prints = op.nature.prints;
        let (of, (id, op)) = (self.operand(step.root, 0), (op.entry.id(), &op.routine));
        let length = self.length(of.node);
        if length == 0 {
            self.columns[step.root] = Some(empty(op.result.ty));
            return Ok(());
        }
        let mut vms = lanes(length);
        let first = |runner: &Self| runner.writer(step, true).fold((step.root, of), length, op, None);
        let mut folded = self.fold_by(at, op, vms, None, first)?;
        while vms > 1 {
            vms /= NEIGHBOURS as usize;
            folded = self.fold_by(at, op, vms, Some(folded), |_| neighbours(id, op, prints))?;
            if vms > 1 {
                vms = lanes(vms);
                folded = self.fold_by(at, op, vms, Some(folded), |_| refold(id, op, None))?;
            }
        }
        self.columns[step.root] = Some(folded);
        Ok(())
    }

    /// Folds a column, or what the step's nodes give, by so many VMs.
    fn fold_by(
        &mut self,
        at: At<'_>,
        op: &Routine,
        vms: usize,
        from: Option<Data>,
        sketch: impl FnOnce(&Self) -> Sketch,
    ) -> Result<Data> {
        let to = blank(op.result.ty, vms);
        let mut columns = Columns::from(from.map(|from| (Column::From, from)));
        columns.put(Column::To, to.clone());
        let kernel = self.kernel(sketch)?;
        self.launch(at, &kernel, vms, &columns)?;
        Ok(to)
    }

    fn scan(&mut self, step: &Step, at: At<'_>, op: &Use) -> Result<()> {
        if let Some(scanned) = self.scan_tiles(step, at, op)? {
            self.columns[step.root] = Some(scanned);
            return Ok(());
        }
        let (of, length) = (self.operand(step.root, 0), self.length(step.root));
        let fold = |runner: &Self| {
            runner
                .writer(step, true)
                .fold((step.root, of), length, &op.routine, Some(SCAN_CHUNK))
        };
        let scan = |runner: &Self, chunks| {
            runner
                .writer(step, true)
                .scan((step.root, of), length, &op.routine, chunks)
        };
        let scanned = self.scan_by(at, op, length, None, (&fold, &scan))?;
        self.columns[step.root] = Some(scanned);
        Ok(())
    }

    /// Scans so many entries by kernels that fold chunks, and that scan them from what the chunks before come to, which is a scan of
    /// fewer entries.
    fn scan_by(&mut self, at: At<'_>, op: &Use, length: usize, from: Option<Data>, by: By<'_, Self>) -> Result<Data> {
        let (fold, scan) = by;
        let element = op.routine.result.ty;
        if length == 0 {
            return Ok(empty(element));
        }
        let (to, chunks) = (blank(element, length), length.div_ceil(SCAN_CHUNK as usize));
        let mut columns = Columns::from(from.map(|from| (Column::From, from)));
        if chunks > 1 {
            let sums = blank(element, chunks);
            columns.put(Column::To, sums.clone());
            let kernel = self.kernel(|runner| fold(runner))?;
            self.launch(at, &kernel, chunks, &columns)?;
            let fold = |_: &Self| refold(op.entry.id(), &op.routine, Some(SCAN_CHUNK));
            let scan = |_: &Self, chunks| rescan(op.entry.id(), &op.routine, chunks);
            let scanned = self.scan_by(at, op, chunks, Some(sums), (&fold, &scan))?;
            columns.put(Column::Chunks, scanned);
        }
        columns.put(Column::To, to.clone());
        let kernel = self.kernel(|runner| scan(runner, chunks > 1))?;
        self.launch(at, &kernel, chunks, &columns)?;
        Ok(to)
    }
}

/// How to fold a column's chunks, and how to scan it.
type By<'b, R> = (&'b dyn Fn(&R) -> Sketch, &'b dyn Fn(&R, bool) -> Sketch);

/// A column that is about to be written.
pub(super) fn blank(element: &'static Type, entries: usize) -> Data {
    Data::Store(Arc::new(Store::blank(element, entries)))
}
