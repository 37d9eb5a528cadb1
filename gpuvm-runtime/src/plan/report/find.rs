//! Finds out what a plan does: links its kernels, and looks when which column is there.

use gpuvm_core::program::Metadata;

use super::{ColumnReport, KernelReport, LoopReport, Matrices, NodeKind, NodeReport, ReadReport, Report, StepReport};
use crate::error::Result;
use crate::plan::fuse::Step;
use crate::plan::keys::Keys;
use crate::plan::node::{Kind, Length, Node};
use crate::plan::order::{Life, Order};
use crate::plan::run::Run;

impl Report {
    /// What a plan does when it runs like this.
    ///
    /// # Errors
    ///
    /// [`Error::Link`](crate::Error::Link) if a step cannot be linked.
    pub(in crate::plan) fn of(runner: &Run<'_, '_>) -> Result<Report> {
        let Run { nodes, order, .. } = *runner;
        let reuse = runner.options.reuse;
        let steps: Vec<StepReport> = order
            .steps
            .iter()
            .map(|step| found(runner, step))
            .collect::<Result<_>>()?;
        let peak = |reuse| 4 * peak(nodes, order, reuse);
        Ok(Report {
            engine: runner.engine,
            scope: order.graph.scope,
            loops: loops(runner)?,
            nodes: (0..nodes.len()).map(|number| node(nodes, order, number)).collect(),
            phases: order.graph.phases(),
            columns: columns(nodes, order, reuse),
            peak_bytes: peak(reuse),
            peak_bytes_without_reuse: peak(false),
            matrices: steps
                .iter()
                .flat_map(|step| &step.kernels)
                .map(|kernel| kernel.matrices)
                .sum(),
            steps,
        })
    }
}

/// The loops among a plan's or a body's steps.
fn loops(runner: &Run<'_, '_>) -> Result<Vec<LoopReport>> {
    let Run {
        runtime,
        nodes,
        engine,
        options,
        answers,
        ..
    } = *runner;
    let bodies = runner.prepared.bodies.iter();
    let told = bodies.filter_map(|(&node, body)| Some((node, body, nodes[node].kind.as_loop()?)));
    told.map(|(node, body, of)| {
        let body = Report::of(&Run::new(runtime, nodes, body, engine, options, answers))?;
        Ok(LoopReport {
            node,
            most_turns: of.most as u64,
            states: of.states.clone(),
            next: of.next.clone(),
            flag: of.flag,
            body,
        })
    })
    .collect()
}

fn node(nodes: &[Node<'_>], order: &Order, number: usize) -> NodeReport {
    let (of, graph) = (&nodes[number], &order.graph);
    let reads = graph.reads(nodes, number);
    NodeReport {
        label: of.kind.label(number),
        scope: of.scope,
        elsewhere: of.scope != graph.scope,
        kind: kind(&of.kind),
        routine: of.kind.uses().map(|of| of.entry.id().to_string()),
        element: of.element.to_string(),
        entries: of.length.most() as u64,
        entries_known: matches!(of.length, Length::Known(_)),
        bytes: 4 * of.words(),
        phase: graph.levels[number],
        step: order.steps.iter().position(|step| step.members.contains(&number)),
        kept: graph.kept.contains(&number),
        same_as: Some(graph.same[number]).filter(|same| *same != number),
        reads: reads
            .map(|read| ReadReport {
                node: read.node,
                sight: read.mode,
            })
            .collect(),
    }
}

fn kind(kind: &Kind<'_>) -> NodeKind {
    match kind {
        Kind::Input(_) => NodeKind::Input,
        Kind::Buffer { .. } if kind.is_zeros() => NodeKind::Zeros,
        Kind::Buffer { .. } => NodeKind::Buffer,
        Kind::Map(_) => NodeKind::Map,
        Kind::Zip => NodeKind::Zip,
        Kind::Field(_) => NodeKind::Field,
        Kind::Copy => NodeKind::Copy,
        Kind::Loop(_) => NodeKind::Loop,
        Kind::State { .. } => NodeKind::State,
        Kind::Result { .. } => NodeKind::Result,
        Kind::Reduce(_) => NodeKind::Reduce,
        Kind::ReduceGroups(_) => NodeKind::ReduceGroups,
        Kind::Scan(_) => NodeKind::Scan,
        Kind::Filter(_) => NodeKind::Filter,
        Kind::Dedup { .. } => NodeKind::Dedup,
        Kind::Sort(_) => NodeKind::Sort,
    }
}

fn found(runner: &Run<'_, '_>, step: &Step) -> Result<StepReport> {
    let sketches = runner.sketches(step);
    let kernels = sketches.iter().map(|sketch| {
        let program = runner.runtime.link_kernel(&sketch.kernel)?;
        Ok(kernel(program.metadata()))
    });
    Ok(StepReport {
        members: step.members.clone(),
        stored: step.stored.clone(),
        kernels: kernels.collect::<Result<_>>()?,
    })
}

fn kernel(program: Metadata) -> KernelReport {
    KernelReport {
        instructions: program.instructions.into(),
        instructions_by_class: program.by_class.map(u64::from),
        estimated_epochs: program.estimated_epochs,
        matrices: Matrices {
            sparse: program.matrices.sparse.into(),
            dense: program.matrices.dense.into(),
            bytes: program.matrices.bytes,
            bytes_all_dense: program.matrices.bytes_all_dense,
        },
        name: program.name,
    }
}

/// The columns in the order of their nodes. One after the other as they begin, each takes the smallest room that is large enough among
/// what columns before it have left.
fn columns(nodes: &[Node<'_>], order: &Order, reuse: bool) -> Vec<ColumnReport> {
    let steps = order.steps.len();
    let column = |life: Life| ColumnReport {
        node: life.node,
        bytes: 4 * nodes[life.node].words(),
        from_step: life.first,
        free_from_step: Some(life.last + 1).filter(|free| *free <= steps),
        can_replace: None,
    };
    let mut columns: Vec<ColumnReport> = order.lives(nodes, reuse).map(column).collect();
    let mut begin: Vec<usize> = (0..columns.len()).collect();
    begin.sort_by_key(|column| columns[*column].from_step);
    let mut left: Vec<usize> = Vec::new();
    for next in begin {
        let ColumnReport { bytes, from_step, .. } = columns[next];
        let fits = |room: &&usize| {
            let room = &columns[**room];
            bytes > 0 && room.bytes >= bytes && room.free_from_step.is_some_and(|free| free <= from_step)
        };
        let room = left
            .iter()
            .filter(fits)
            .min_by_key(|room| columns[**room].bytes)
            .copied();
        columns[next].can_replace = room.map(|room| columns[room].node);
        left.retain(|other| Some(*other) != room);
        left.push(next);
    }
    columns
}

/// The words of all columns at the time when they are most.
fn peak(nodes: &[Node<'_>], order: &Order, reuse: bool) -> u64 {
    let lives: Vec<Life> = order.lives(nodes, reuse).collect();
    let at = |step: usize| {
        let there = lives.iter().filter(|life| life.first <= step && step <= life.last);
        let columns: u64 = there.map(|life| nodes[life.node].words()).sum();
        columns + scratch(nodes, order, &order.steps[step])
    };
    (0..order.steps.len()).map(at).max().unwrap_or_default()
}

/// The words of columns that only one step has: a filter's flags or what entries are compared by, and what it works on if that is a part of the step.
fn scratch(nodes: &[Node<'_>], order: &Order, step: &Step) -> u64 {
    let each = match nodes[step.root].kind {
        Kind::Filter(_) => 1,
        Kind::Sort(_) => Keys::of_sort(nodes, step.root).map_or(0, |keys| keys.ty.words),
        Kind::Dedup { .. } => {
            let by = nodes[step.root].reads().nth(1);
            let keys = by.and_then(|by| Keys::of(nodes[by.node].element));
            keys.map_or(0, |keys| keys.ty.words)
        }
        _ => return 0,
    };
    let of = order.graph.reads(nodes, step.root);
    let inside = of.map(|read| read.node).filter(|node| step.members.contains(node));
    let own: u64 = inside
        .filter(|node| !step.stored.contains(node))
        .map(|node| nodes[node].words())
        .sum();
    nodes[step.root].length.most() as u64 * u64::from(each) + own
}
