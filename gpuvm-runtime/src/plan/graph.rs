//! The graph of a plan, cleared and levelled: equal nodes are one, what nobody needs is left out, and the others have a phase each.

use std::collections::{BTreeMap, BTreeSet};

use gpuvm_core::routine::RoutineKey;

use super::node::{Backing, Kind, Length, Node, Operand, Read, within};
use crate::error::PlanError;
use crate::vector::write_pieces;

/// What is left of a plan's nodes, or of those in a loop's body, and when each runs.
pub(super) struct Graph {
    /// The loop whose body it is.
    pub scope: Option<usize>,
    /// For each node the one that stands for it: the first that is equal.
    pub same: Vec<usize>,
    /// Whose columns are kept, in terms of those.
    pub kept: BTreeSet<usize>,
    /// The phase of each node that runs.
    pub levels: Vec<Option<usize>>,
    /// The nodes that read each node's column and run.
    pub readers: Vec<Vec<usize>>,
}

impl Graph {
    /// Clears and levels the nodes of a scope. Without `outputs`, everything that is computed is kept.
    ///
    /// # Errors
    ///
    /// [`PlanError::Cycle`].
    pub fn new(nodes: &[Node<'_>], scope: Option<usize>, outputs: &[usize], share: bool) -> Result<Graph, PlanError> {
        let same = match share {
            true => merged(nodes),
            false => (0..nodes.len()).collect(),
        };
        let inside = |node: &usize| nodes[*node].scope == scope;
        let gives = |node: &usize| !nodes[*node].kind.is_given() && nodes[*node].kind.as_loop().is_none();
        let computed = (0..nodes.len()).filter(|node| inside(node) && gives(node));
        let kept: BTreeSet<usize> = match outputs {
            [] => computed.map(|node| same[node]).collect(),
            outputs => outputs.iter().map(|output| same[*output]).collect(),
        };
        let mut graph = Graph {
            scope,
            same,
            kept,
            levels: Vec::new(),
            readers: vec![Vec::new(); nodes.len()],
        };
        let before = (0..nodes.len()).map(|node| match inside(&node) {
            true => graph.waits_for(nodes, node),
            false => Vec::new(),
        });
        let before: Vec<Vec<usize>> = before.collect();
        let mut wanted = graph.wanted(nodes, &before);
        (0..nodes.len()).for_each(|node| wanted[node] &= inside(&node));
        graph.levels = levels(nodes, &before, &wanted)?;
        for node in (0..nodes.len()).filter(|node| graph.levels[*node].is_some()) {
            for read in nodes[node].reads() {
                graph.readers[graph.same[read.node]].push(node);
            }
        }
        Ok(graph)
    }

    /// What a node sees of others, in terms of those that stand for them.
    pub fn reads(&self, nodes: &[Node<'_>], node: usize) -> impl Iterator<Item = Read> {
        nodes[node].reads().map(|read| Read {
            node: self.same[read.node],
            ..read
        })
    }

    /// How many phases there are.
    pub fn phase_count(&self) -> usize {
        self.levels.iter().flatten().max().map_or(0, |last| last + 1)
    }

    /// The nodes of each phase.
    pub fn phases(&self) -> Vec<Vec<usize>> {
        let mut phases = vec![Vec::new(); self.phase_count()];
        for (node, level) in self.levels.iter().enumerate() {
            if let Some(level) = level {
                phases[*level].push(node);
            }
        }
        phases
    }

    /// The nodes that have to be done before a node is. Zeros are what their writer has left. For who is in a loop's body, that stands for
    /// it outside.
    fn waits_for(&self, nodes: &[Node<'_>], node: usize) -> Vec<usize> {
        let mut before = Vec::new();
        let here = |writer: usize| within(nodes, writer, self.scope);
        if let Kind::Buffer {
            backing: Backing::Zeros(_),
            writer,
        } = nodes[node].kind
        {
            before.extend(writer.and_then(here));
        }
        for read in self.reads(nodes, node) {
            match &nodes[read.node].kind {
                Kind::Buffer { writer, .. } if !read.mode.writes() => {
                    before.extend(writer.and_then(here).filter(|writer| *writer != node));
                }
                Kind::Buffer { .. } => {}
                _ => before.push(read.node),
            }
        }
        before
    }

    /// The nodes that are of use: what leads to a column that is kept, or writes a buffer of the caller's or of outside.
    fn wanted(&self, nodes: &[Node<'_>], before: &[Vec<usize>]) -> Vec<bool> {
        let mut wanted = vec![false; nodes.len()];
        let outside = |node: &Node<'_>| node.kind.is_given() || node.scope != self.scope;
        let writes = |read: Read| read.mode.writes() && outside(&nodes[read.node]);
        let inside = (0..nodes.len()).filter(|node| nodes[*node].scope == self.scope);
        let writers = inside.filter(|node| nodes[*node].reads().any(writes));
        let mut left: Vec<usize> = self.kept.iter().copied().chain(writers).collect();
        while let Some(node) = left.pop() {
            if !std::mem::replace(&mut wanted[node], true) {
                left.extend(&before[node]);
                left.extend(self.reads(nodes, node).map(|read| read.node));
            }
        }
        wanted
    }
}

/// For each node the first that is equal to it: the same routine of the same values. Who writes is equal to nobody, and neither is a
/// loop.
fn merged(nodes: &[Node<'_>]) -> Vec<usize> {
    let mut known: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    let mut same: Vec<usize> = Vec::with_capacity(nodes.len());
    for (number, node) in nodes.iter().enumerate() {
        let loops = matches!(node.kind, Kind::Loop(_) | Kind::Result { .. });
        let first = match node.kind.computes() && !loops && !node.writes() {
            true => *known.entry(fingerprint(node, &same)).or_insert(number),
            false => number,
        };
        same.push(first);
    }
    same
}

/// Numbers that equal nodes have in common, and no others.
fn fingerprint(node: &Node<'_>, same: &[usize]) -> Vec<u64> {
    let what = match node.kind {
        Kind::Map(_) => 1,
        Kind::Zip => 2,
        Kind::Reduce(_) => 3,
        Kind::Scan(_) => 4,
        Kind::Filter(_) => 5,
        Kind::Copy => 6,
        Kind::Sort(_) => 7,
        Kind::Dedup { last } => 8 + u64::from(last),
        Kind::ReduceGroups(_) => 10,
        Kind::Field(field) => 11 + field as u64,
        Kind::Input(_) | Kind::Buffer { .. } | Kind::Loop(_) | Kind::State { .. } | Kind::Result { .. } => 0,
    };
    let (kind, length) = match node.length {
        Length::Known(length) => (0, length),
        // The length of who keeps some is named after itself, and follows from its operands.
        Length::Kept { .. } if node.kind.keeps_some() => (1, 0),
        Length::Kept { filter, .. } => (1, same[filter]),
    };
    let scope = node.scope.map_or(0, |of| of as u64 + 1);
    let mut numbers = vec![what, scope, kind, length as u64];
    match node.kind.uses().map(|of| of.routine.key()) {
        None => numbers.push(0),
        Some(RoutineKey::Address(address)) => numbers.extend([1, address as u64]),
        Some(RoutineKey::Content(id)) => {
            let [high, low] = id.to_words();
            numbers.extend([2, high, low]);
        }
    }
    for operand in &node.operands {
        match operand {
            Operand::Node(read) => numbers.extend([0, same[read.node] as u64, read.mode as u64]),
            Operand::Value(value) => {
                let mut words = vec![0; value.element().words as usize];
                write_pieces(&**value, 0..1, &mut words);
                numbers.extend([1, words.len() as u64]);
                numbers.extend(words.into_iter().map(u64::from));
            }
        }
    }
    numbers
}

/// The phase of each node that runs: the first after all that it waits for. A loop's results are there with it.
fn levels(nodes: &[Node<'_>], before: &[Vec<usize>], wanted: &[bool]) -> Result<Vec<Option<usize>>, PlanError> {
    let runs: Vec<bool> = (0..nodes.len())
        .map(|node| wanted[node] && nodes[node].kind.computes())
        .collect();
    let mut levels = vec![None; nodes.len()];
    let mut waiting: Vec<usize> = vec![0; nodes.len()];
    let mut after = vec![Vec::new(); nodes.len()];
    for node in (0..nodes.len()).filter(|node| runs[*node]) {
        for &first in before[node].iter().filter(|first| runs[**first]) {
            waiting[node] += 1;
            after[first].push(node);
        }
    }
    let mut ready: Vec<usize> = (0..nodes.len())
        .filter(|node| runs[*node] && waiting[*node] == 0)
        .collect();
    ready.iter().for_each(|&node| levels[node] = Some(0));
    while let Some(node) = ready.pop() {
        let next = levels[node].map_or(0, |level| level + 1);
        for &later in &after[node] {
            let is_result = matches!(nodes[later].kind, Kind::Result { .. });
            levels[later] = levels[later].max(Some(next - usize::from(is_result)));
            waiting[later] -= 1;
            if waiting[later] == 0 {
                ready.push(later);
            }
        }
    }
    match waiting.iter().any(|waiting| *waiting > 0) {
        true => Err(circle(nodes, before, &waiting)),
        false => Ok(levels),
    }
}

/// A circle among the nodes that still wait.
fn circle(nodes: &[Node<'_>], before: &[Vec<usize>], waiting: &[usize]) -> PlanError {
    let mut path: Vec<usize> = Vec::new();
    let mut node = (0..nodes.len()).find(|node| waiting[*node] > 0).unwrap_or(0);
    while !path.contains(&node) {
        path.push(node);
        let Some(&next) = before[node].iter().find(|next| waiting[**next] > 0) else {
            break;
        };
        node = next;
    }
    let start = path.iter().position(|&seen| seen == node).unwrap_or(0);
    let names = path[start..].iter().rev().map(|&node| nodes[node].kind.label(node));
    PlanError::Cycle {
        nodes: names.collect::<Vec<_>>().join(" and "),
    }
}
