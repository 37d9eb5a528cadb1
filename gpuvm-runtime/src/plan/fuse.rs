//! Which nodes run as one kernel: a map and the maps that only it reads, a fold and what it folds. A loop is a step with its results.

use std::collections::BTreeMap;

use super::graph::Graph;
use super::node::{Kind, Node, Sight};

/// Nodes that run as one.
pub(super) struct Step {
    /// The last of them, the only one that writes buffers or has readers elsewhere; or a loop, whose results are the others.
    pub root: usize,
    /// All of them, each after those that it reads.
    pub members: Vec<usize>,
    /// Those whose columns are stored.
    pub stored: Vec<usize>,
}

/// Nodes in a step at most. More would save little, and a program has to fit a kernel's registers.
const MOST_MEMBERS: usize = 24;
/// Instructions of their routines at most, as they were encoded.
const MOST_CODE: usize = 2000;

/// The steps of a plan in an order in which they can run.
pub(super) fn steps(nodes: &[Node<'_>], graph: &Graph, fuse: bool) -> Vec<Step> {
    let mut groups = Groups::new(nodes, graph);
    for node in (0..nodes.len()).rev().filter(|node| graph.levels[*node].is_some()) {
        let root = match nodes[node].kind {
            Kind::Result { of, .. } => Some(of),
            _ if fuse => groups.root_for(node),
            _ => None,
        };
        groups.put(node, root.unwrap_or(node));
    }
    let mut roots: Vec<usize> = groups.members.keys().copied().collect();
    roots.sort_by_key(|root| (graph.levels[*root], *root));
    let steps = roots.into_iter().map(|root| {
        let mut members = groups.members.remove(&root).unwrap_or_default();
        members.sort_unstable();
        let is_stored = |node: &usize| match nodes[*node].kind {
            Kind::Loop(_) => false,
            Kind::Result { .. } => true,
            _ => *node == root || graph.kept.contains(node),
        };
        Step {
            root,
            stored: members.iter().copied().filter(is_stored).collect(),
            members,
        }
    });
    steps.collect()
}

/// Steps while they grow, from their roots up.
struct Groups<'g, 'a> {
    nodes: &'g [Node<'a>],
    graph: &'g Graph,
    root_of: Vec<Option<usize>>,
    members: BTreeMap<usize, Vec<usize>>,
    code: BTreeMap<usize, usize>,
}

impl<'g, 'a> Groups<'g, 'a> {
    fn new(nodes: &'g [Node<'a>], graph: &'g Graph) -> Groups<'g, 'a> {
        Groups {
            nodes,
            graph,
            root_of: vec![None; nodes.len()],
            members: BTreeMap::new(),
            code: BTreeMap::new(),
        }
    }

    fn put(&mut self, node: usize, root: usize) {
        self.root_of[node] = Some(root);
        self.members.entry(root).or_default().push(node);
        *self.code.entry(root).or_default() += code(&self.nodes[node]);
    }

    /// The step that a node can be a part of: the one that has all its readers, which see of it what each VM has computed.
    fn root_for(&self, node: usize) -> Option<usize> {
        let Node { kind, .. } = &self.nodes[node];
        let readers = &self.graph.readers[node];
        let root = self.root_of[*readers.first()?]?;
        let alone = readers.iter().all(|reader| self.root_of[*reader] == Some(root));
        let fits = kind.is_entrywise()
            && alone
            && !self.nodes[node].writes()
            && readers.iter().all(|reader| self.sees_entries(*reader, node))
            && self.goes_with(node, root)
            && self.members[&root].len() < MOST_MEMBERS
            && self.code[&root] + code(&self.nodes[node]) <= MOST_CODE;
        fits.then_some(root)
    }

    /// Whether a node sees of another one each VM its own entry, by value.
    fn sees_entries(&self, reader: usize, node: usize) -> bool {
        let mut reads = self.graph.reads(self.nodes, reader).filter(|read| read.node == node);
        reads.all(|read| read.mode == Sight::Own)
    }

    /// Whether a kernel can have a node beside a step's root.
    fn goes_with(&self, node: usize, root: usize) -> bool {
        let (node, number, root) = (&self.nodes[node], node, &self.nodes[root]);
        let calm = |node: &Node<'_>| match node.kind.uses() {
            Some(of) => !of.nature.halts && !of.nature.yields,
            None => true,
        };
        let relaxed = |node: &Node<'_>| node.kind.uses().map(|of| of.routine.relaxed);
        // A zip has no floats of its own.
        let precise = relaxed(node).is_none_or(|relaxed_node| relaxed(root).is_none_or(|root| root == relaxed_node));
        let by_reference = node.reads().any(|read| read.mode == Sight::OwnRef);
        let same_entries = match root.kind {
            Kind::Map(_) | Kind::Filter(_) | Kind::Dedup { .. } | Kind::Sort(_) => true,
            // Its VMs have several elements each, and store nothing of them.
            Kind::Reduce(_) | Kind::ReduceGroups(_) | Kind::Scan(_) => {
                !by_reference && !self.graph.kept.contains(&number)
            }
            _ => false,
        };
        calm(node) && calm(root) && precise && same_entries
    }
}

/// Instructions of a node's routine.
fn code(node: &Node<'_>) -> usize {
    node.kind.uses().map_or(1, |of| of.routine.code.len())
}
