//! The order of a plan's steps, and how long each column has to be there.

use super::fuse::{Step, steps};
use super::graph::Graph;
use super::node::{Kind, Node};
use crate::error::PlanError;

/// What runs, in which order.
pub(super) struct Order {
    pub graph: Graph,
    pub steps: Vec<Step>,
    /// For each node the last step that needs its column, and the step that makes it.
    lives: Vec<Option<(usize, usize)>>,
    /// The zeros that each step is the first to use.
    zeros: Vec<Vec<usize>>,
    /// The columns that die with each step.
    dead: Vec<Vec<usize>>,
}

/// A column while the plan runs.
pub(super) struct Life {
    pub node: usize,
    /// The step that makes it; 0 for what is there before.
    pub first: usize,
    /// The last step that needs it.
    pub last: usize,
}

impl Order {
    /// Orders the nodes of a scope.
    ///
    /// # Errors
    ///
    /// [`PlanError::Cycle`].
    pub fn new(
        nodes: &[Node<'_>],
        scope: Option<usize>,
        outputs: &[usize],
        share: bool,
        fuse: bool,
    ) -> Result<Order, PlanError> {
        let graph = Graph::new(nodes, scope, outputs, share)?;
        let steps = steps(nodes, &graph, fuse);
        let mut lives: Vec<Option<(usize, usize)>> = vec![None; nodes.len()];
        let mut zeros = vec![Vec::new(); steps.len()];
        for (number, step) in steps.iter().enumerate() {
            for &node in &step.stored {
                lives[node] = Some((number, number));
            }
            for read in step.members.iter().flat_map(|member| graph.reads(nodes, *member)) {
                let kind = &nodes[read.node].kind;
                // What a loop's body sees of other nodes is there before it and after it.
                if nodes[read.node].scope != scope {
                    continue;
                }
                match &mut lives[read.node] {
                    Some((_, last)) => *last = number,
                    None if kind.is_zeros() => {
                        zeros[number].push(read.node);
                        lives[read.node] = Some((number, number));
                    }
                    None if matches!(kind, Kind::Input(_)) => lives[read.node] = Some((number, number)),
                    None if matches!(kind, Kind::State { .. }) => lives[read.node] = Some((0, number)),
                    None => {}
                }
            }
        }
        let mut dead = vec![Vec::new(); steps.len()];
        for (node, life) in lives.iter_mut().enumerate() {
            if let Some((_, last)) = life {
                match graph.kept.contains(&node) {
                    true => *last = steps.len(),
                    false => dead[*last].push(node),
                }
            }
        }
        Ok(Order {
            graph,
            steps,
            lives,
            zeros,
            dead,
        })
    }

    /// The zeros that a step is the first to use.
    pub fn zeros_for(&self, step: usize) -> &[usize] {
        self.zeros.get(step).map_or(&[], Vec::as_slice)
    }

    /// The columns that nobody needs after a step.
    pub fn dead_after(&self, step: usize) -> impl Iterator<Item = usize> {
        self.dead.get(step).into_iter().flatten().copied()
    }

    /// The columns that are stored, the caller's and buffers not counted.
    pub fn lives<'o>(&'o self, nodes: &'o [Node<'_>], reuse: bool) -> impl Iterator<Item = Life> + 'o {
        let stored = self
            .lives
            .iter()
            .enumerate()
            .filter(|(node, _)| !nodes[*node].kind.is_given());
        stored.filter_map(move |(node, life)| {
            life.map(|(first, last)| Life {
                node,
                first,
                last: if reuse { last } else { self.steps.len() },
            })
        })
    }
}
