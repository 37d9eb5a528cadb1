//! The kernels of a step: what the compiler is told, and which column stands for which launch parameter.

use std::collections::BTreeMap;
use std::sync::Arc;

use gpuvm_core::facts::RoutineType;
use gpuvm_core::kernel::{Call, Count, Fold, Input, Kernel, Output, Then};
use gpuvm_core::program::Mode;
use gpuvm_core::routine::RoutineRef;
use gpuvm_core::types::{Type, TypeRef, Value};
use gpuvm_engine::Reach;

use super::graph::Graph;
use super::keys::Keys;
use super::library::{lanes_of, span_of_entry, span_of_group};
use super::node::{Kind, Node, Operand, Read, Sight};
use super::repeat::GATE;
use crate::types::{column, record};
use crate::vector::{Vector, write_pieces};

/// Lanes of a reduction whose results are folded by one VM: those of one workgroup, so that a GPU does so in the same dispatch.
pub(super) const NEIGHBOURS: u32 = 64;
/// Lanes of a reduction at most. They are enough to keep a large GPU's memory busy, and few enough that what their neighbours come to is
/// folded by one workgroup.
pub(super) const MOST_LANES: u32 = 1 << 16;
/// Instructions of an operator that neighbours are folded by without a loop, at most.
const SHORT: usize = 16;
/// Elements of a chunk of a scan: few, because the VMs that scan short columns are few, and each goes through its chunk alone.
pub(super) const SCAN_CHUNK: u32 = 16;

/// A kernel, and what stands for its launch parameters.
pub(super) struct Sketch {
    pub kernel: Kernel,
    pub sources: Vec<Source>,
    /// The launch parameters that are seen whole, and of which VMs see elements.
    pub elements: Vec<usize>,
    /// As [`Job::reach`](gpuvm_engine::Job::reach).
    pub reach: Vec<Option<Reach>>,
    /// As [`Job::neighbours`](gpuvm_engine::Job::neighbours).
    pub neighbours: Option<u32>,
    /// What becomes of its elements, if an engine goes through them tile by tile.
    pub tiling: Option<Tiling>,
}

/// What becomes of elements tile by tile.
pub(super) enum Tiling {
    /// They are scanned, by an operator that is a kernel of its own.
    Scan(Box<Kernel>),
    /// They are marked.
    Marks,
}

/// What stands for a launch parameter.
#[derive(Clone)]
pub(super) enum Source {
    /// What a node reads for a parameter of its own.
    Node(usize, usize, Read),
    /// One value for all VMs.
    Value(Arc<dyn Vector>),
    /// A column that the step gives or works on, and how it is seen.
    Column(Column, Mode),
}

/// A column that belongs to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    /// What a member gives.
    Of(usize),
    /// What a filter's routine says of each entry.
    Flags,
    /// What entries are compared by.
    Keys,
    /// What is folded or scanned next.
    From,
    /// What comes of it.
    To,
    /// What all chunks up to each come to.
    Chunks,
    /// What tiles come to.
    Tiles,
    /// Where each group ends.
    Ends,
    /// Which group each entry is of.
    Groups,
}

/// Writes a kernel of several nodes.
pub(super) struct Writer<'w, 'a> {
    nodes: &'w [Node<'a>],
    graph: &'w Graph,
    fold: bool,
    /// Whether VMs have several elements.
    looping: bool,
    sketch: Sketch,
    values: BTreeMap<usize, Input>,
    seen: BTreeMap<Read, usize>,
}

impl<'w, 'a> Writer<'w, 'a> {
    /// An empty kernel. Values for all VMs become constants if `fold`.
    pub fn new(name: &str, nodes: &'w [Node<'a>], graph: &'w Graph, fold: bool, looping: bool) -> Writer<'w, 'a> {
        Writer {
            nodes,
            graph,
            fold,
            looping,
            sketch: sketch(name),
            values: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    /// Adds what a member computes for an element.
    pub fn member(&mut self, node: usize) {
        let nodes = self.nodes;
        let value = match &nodes[node].kind {
            Kind::Zip => {
                let parts = nodes[node].reads().enumerate();
                let parts = parts.map(|(index, read)| self.read((node, index), read, None));
                Input::Tuple(parts.collect())
            }
            Kind::Copy | Kind::Sort(None) | Kind::Field(_) | Kind::Dedup { .. } => {
                // Whether an entry is kept depends on its key.
                let index = usize::from(matches!(nodes[node].kind, Kind::Dedup { .. }));
                let Some(read) = nodes[node].reads().nth(index) else {
                    return;
                };
                let value = self.read((node, index), read, None);
                match nodes[node].kind {
                    Kind::Field(field) => Input::Field(Box::new(value), field),
                    _ => value,
                }
            }
            kind => match kind.uses() {
                Some(of) => self.call(node, &of.routine),
                None => return,
            },
        };
        self.values.insert(node, value);
    }

    /// The call of a routine with a node's operands.
    fn call(&mut self, node: usize, routine: &RoutineRef) -> Input {
        let operands = self.nodes[node].operands.iter().zip(routine.params.iter()).enumerate();
        let args = operands.map(|(index, (operand, ty))| match operand {
            Operand::Node(read) => self.read((node, index), *read, Some(*ty)),
            Operand::Value(value) => self.constant(value, *ty),
        });
        let args = args.collect();
        self.sketch.kernel.calls.push(Call {
            routine: routine.clone(),
            args,
        });
        Input::Call(self.sketch.kernel.calls.len() - 1)
    }

    /// What stands for what a node reads for a parameter of its own: what a member has computed, or a launch parameter.
    fn read(&mut self, (reader, index): (usize, usize), read: Read, ty: Option<TypeRef>) -> Input {
        let node = self.graph.same[read.node];
        if let Some(value) = self.values.get(&node) {
            return value.clone();
        }
        let read = Read { node, ..read };
        let element = self.nodes[node].element;
        let own = read.mode == Sight::Own;
        let ty = match ty {
            _ if own && self.looping => column(element, false),
            Some(ty) => ty,
            None => TypeRef::value(element),
        };
        let param = match self.seen.get(&read) {
            Some(&param) => param,
            None => {
                let mode = if own && self.looping { Sight::Whole } else { read.mode };
                self.sketch.param(ty, Source::Node(reader, index, Read { node, mode }))
            }
        };
        self.seen.insert(read, param);
        match own && self.looping {
            true => self.sketch.element(param),
            false => Input::Param(param),
        }
    }

    /// One value for all VMs.
    fn constant(&mut self, value: &Arc<dyn Vector>, ty: TypeRef) -> Input {
        if self.fold && ty.refs == 0 {
            let mut words = vec![0; value.element().words as usize];
            write_pieces(&**value, 0..1, &mut words);
            return Input::Constant(words);
        }
        Input::Param(self.sketch.param(ty, Source::Value(Arc::clone(value))))
    }

    /// Stores what a member computes, one entry a VM.
    pub fn store(&mut self, node: usize, to: Column) {
        let (Some(value), Some(ty)) = (self.values.get(&node).cloned(), self.type_of(node)) else {
            return;
        };
        if ty.words > 0 {
            let to = self.sketch.param(record(ty), Source::Column(to, Mode::Record));
            self.sketch.kernel.stores.push(Output { value, to });
        }
    }

    /// Stores the key that a node compares an element by.
    pub fn store_key(&mut self, node: usize, keys: Keys) {
        let Some(mut value) = self.values.get(&node).cloned() else {
            return;
        };
        if let Some(routine) = keys.encode {
            let args = vec![value];
            self.sketch.kernel.calls.push(Call {
                routine: routine.into(),
                args,
            });
            value = Input::Call(self.sketch.kernel.calls.len() - 1);
        }
        let to = self
            .sketch
            .param(record(keys.ty), Source::Column(Column::Keys, Mode::Record));
        self.sketch.kernel.stores.push(Output { value, to });
    }

    /// The type of what is computed for an element of a node.
    fn type_of(&self, node: usize) -> Option<&'static Type> {
        match &self.nodes[node].kind {
            Kind::Filter(_) => Some(bool::TYPE),
            _ => Some(self.nodes[node].element),
        }
    }

    /// Counts elements: as many as a column has that is read, or so many.
    fn count(&mut self, length: usize) {
        let mut columns = self.seen.iter().filter(|(read, _)| read.mode == Sight::Own);
        self.sketch.kernel.count = match columns.next() {
            Some((_, &param)) => Count::Slice(param),
            None => Count::Constant(length as u32),
        };
    }

    /// The kernel, one element a VM.
    pub fn each(self) -> Sketch {
        self.sketch
    }

    /// The kernel, with VMs that fold what a node reads.
    pub fn fold(mut self, (reader, of): (usize, Read), length: usize, op: &RoutineRef, chunk: Option<u32>) -> Sketch {
        let value = self.read((reader, 0), of, None);
        self.count(length);
        self.sketch.fold(value, Fold::Routine(op.clone()), op.result.ty, chunk);
        self.sketch
    }

    /// The kernel, with VMs that fold groups of what a node reads, in a turn that is perhaps the last.
    pub fn fold_spans(
        mut self,
        (reader, of): (usize, Read),
        length: usize,
        op: &RoutineRef,
        turn: (u32, bool),
    ) -> Sketch {
        let value = self.read((reader, 0), of, None);
        self.count(length);
        self.sketch.fold_spans(value, op, turn);
        self.sketch
    }

    /// The kernel, one element a VM, of which what a node reads is scanned tile by tile.
    pub fn scan_tiles(mut self, (reader, of): (usize, Read), op: &RoutineRef) -> Sketch {
        let value = self.read((reader, 0), of, None);
        let ty = op.result.ty;
        let to = self.sketch.param(record(ty), Source::Column(Column::To, Mode::Record));
        self.sketch.kernel.stores.push(Output { value, to });
        self.sketch
            .param(column(ty, true), Source::Column(Column::Tiles, Mode::Whole));
        self.sketch.tiling = Some(Tiling::Scan(Box::new(operator(&self.sketch.kernel.name, op))));
        self.sketch
    }

    /// The kernel, with VMs that scan what a node reads.
    pub fn scan(mut self, (reader, of): (usize, Read), length: usize, op: &RoutineRef, chunks: bool) -> Sketch {
        let value = self.read((reader, 0), of, None);
        self.count(length);
        self.sketch.scan(value, op, chunks);
        self.sketch
    }
}

impl Sketch {
    /// Adds a launch parameter.
    fn param(&mut self, ty: TypeRef, source: Source) -> usize {
        self.kernel.params.push(ty);
        self.sources.push(source);
        self.sources.len() - 1
    }

    /// What stands for the element of a launch parameter that is seen whole.
    fn element(&mut self, param: usize) -> Input {
        if !self.elements.contains(&param) {
            self.elements.push(param);
        }
        Input::Element(param)
    }

    /// Notes that each VM touches so many entries of a launch parameter, and so many before those.
    fn reaches(&mut self, param: usize, each: u32, before: u32) {
        self.reach.resize(self.reach.len().max(param + 1), None);
        self.reach[param] = Some(Reach { each, before });
    }

    /// Notes that each VM goes through a chunk of the elements.
    fn by_chunks(&mut self, chunk: u32) {
        for param in std::mem::take(&mut self.elements) {
            self.reaches(param, chunk, 0);
        }
    }

    /// Folds a value of the elements: of a chunk, or of elements as far apart as there are VMs.
    fn fold(&mut self, value: Input, op: Fold, ty: &'static Type, chunk: Option<u32>) {
        let to = self.param(record(ty), Source::Column(Column::To, Mode::Record));
        let partial = Output { value, to };
        if let Some(chunk) = chunk {
            self.by_chunks(chunk);
        }
        self.kernel.then = Some(match chunk {
            Some(chunk) => Then::ReduceChunks { op, partial, chunk },
            None => Then::Reduce { op, partial },
        });
    }

    /// Folds a value of the elements of groups: a VM of each entry, or in the last turn of each group, finds its span.
    fn fold_spans(&mut self, value: Input, op: &RoutineRef, (stage, is_last): (u32, bool)) {
        let to = self.param(record(op.result.ty), Source::Column(Column::To, Mode::Record));
        let mut numbers = |of| {
            let param = self.param(column(u32::TYPE, false), Source::Column(of, Mode::Slice));
            Input::Param(param)
        };
        let (ends, stage) = (numbers(Column::Ends), Input::Constant(vec![stage]));
        let span = match is_last {
            true => Call {
                routine: span_of_group::routine().into(),
                args: vec![ends, stage],
            },
            false => Call {
                routine: span_of_entry::routine().into(),
                args: vec![numbers(Column::Groups), ends, stage],
            },
        };
        self.kernel.then = Some(Then::ReduceSpans {
            op: Fold::Routine(op.clone()),
            partial: Output { value, to },
            span,
            rolled: false,
        });
    }

    fn scan(&mut self, value: Input, op: &RoutineRef, chunks: bool) {
        let ty = op.result.ty;
        let to = self.param(column(ty, true), Source::Column(Column::To, Mode::Whole));
        let chunks = chunks.then(|| self.param(column(ty, false), Source::Column(Column::Chunks, Mode::Slice)));
        self.by_chunks(SCAN_CHUNK);
        self.reaches(to, SCAN_CHUNK, 0);
        if let Some(chunks) = chunks {
            self.reaches(chunks, 1, 1);
        }
        self.kernel.then = Some(Then::Scan {
            op: Fold::Routine(op.clone()),
            prefix: Output { value, to },
            chunks,
            chunk: SCAN_CHUNK,
        });
    }
}

/// An empty kernel.
fn sketch(name: &str) -> Sketch {
    Sketch {
        kernel: Kernel {
            name: name.to_string(),
            params: Vec::new(),
            result: TypeRef::value(<()>::TYPE),
            calls: Vec::new(),
            count: Count::Vms,
            stores: Vec::new(),
            then: None,
        },
        sources: Vec::new(),
        elements: Vec::new(),
        reach: Vec::new(),
        neighbours: None,
        tiling: None,
    }
}

/// Stores what an operator makes of two values.
fn operator(name: &str, op: &RoutineRef) -> Kernel {
    let mut kernel = sketch(name).kernel;
    let ty = op.result.ty;
    kernel.params = vec![TypeRef::value(ty), TypeRef::value(ty), record(ty)];
    kernel.calls.push(Call {
        routine: op.clone(),
        args: vec![Input::Param(0), Input::Param(1)],
    });
    kernel.stores.push(Output {
        value: Input::Call(0),
        to: 2,
    });
    kernel
}

/// Fills the column [`Column::To`] with zeros.
pub(super) fn fill(element: &'static Type) -> Sketch {
    let mut sketch = sketch("zeros");
    let to = sketch.param(record(element), Source::Column(Column::To, Mode::Record));
    let value = Input::Constant(vec![0; element.words as usize]);
    sketch.kernel.stores.push(Output { value, to });
    sketch
}

/// Yields if the only entry of the column [`Column::From`] is set.
pub(super) fn gate() -> Sketch {
    let mut sketch = sketch(&GATE.name);
    let flag = sketch.param(TypeRef::of::<bool>(), Source::Column(Column::From, Mode::Value));
    sketch.kernel.calls.push(Call {
        routine: RoutineRef::from(&GATE),
        args: vec![Input::Param(flag)],
    });
    sketch
}

/// A kernel that goes through the column [`Column::From`].
fn over(name: &str, element: &'static Type) -> (Sketch, Input) {
    let mut sketch = sketch(name);
    let from = sketch.param(column(element, false), Source::Column(Column::From, Mode::Slice));
    sketch.kernel.count = Count::Slice(from);
    let element = sketch.element(from);
    (sketch, element)
}

/// The lanes that so many entries are folded by.
pub(super) fn lanes(entries: usize) -> usize {
    lanes_of(u32::try_from(entries).unwrap_or(u32::MAX)) as usize
}

/// Folds what [`NEIGHBOURS`] lanes at a time come to. Without a loop, if the operator is short: what is known to end soon can follow its
/// neighbours at once. An operator that prints tells where its second argument lies, which a VM of such a kernel does not know.
pub(super) fn neighbours(name: &str, op: &RoutineRef, prints: bool) -> Sketch {
    if op.code.len() > SHORT || prints {
        return refold(name, op, Some(NEIGHBOURS));
    }
    let mut sketch = sketch(name);
    let ty = op.result.ty;
    let from = sketch.param(column(ty, true), Source::Column(Column::From, Mode::Chunk));
    let to = sketch.param(record(ty), Source::Column(Column::To, Mode::Record));
    sketch.kernel.count = Count::Slice(from);
    sketch.kernel.then = Some(Then::ReduceOwn {
        op: Fold::Routine(op.clone()),
        partial: Output {
            value: Input::Element(from),
            to,
        },
        chunk: NEIGHBOURS,
    });
    sketch.neighbours = Some(NEIGHBOURS);
    sketch
}

/// Folds a column once more: by chunks, or by VMs.
pub(super) fn refold(name: &str, op: &RoutineRef, chunk: Option<u32>) -> Sketch {
    let (mut sketch, value) = over(name, op.result.ty);
    sketch.fold(value, Fold::Routine(op.clone()), op.result.ty, chunk);
    sketch
}

/// Folds what groups have come to so far once more, in a turn that is perhaps the last.
pub(super) fn respan(name: &str, op: &RoutineRef, turn: (u32, bool)) -> Sketch {
    let (mut sketch, value) = over(name, op.result.ty);
    sketch.fold_spans(value, op, turn);
    sketch
}

/// Scans a column.
pub(super) fn rescan(name: &str, op: &RoutineRef, chunks: bool) -> Sketch {
    let (mut sketch, value) = over(name, op.result.ty);
    sketch.scan(value, op, chunks);
    sketch
}
