//! Adding loops to a plan: the body's nodes have the loop as their scope, and outside there is the loop and what it leaves.

use gpuvm_core::types::{Type, Value};

use super::Plan;
use super::add::Parameter;
use super::graph::Graph;
use super::node::{Kind, Length, Loop, Node, Operand, Read, Sight};
use crate::error::{PlanError, Result};
use crate::handle::Handle;

impl<'a> Plan<'a> {
    /// Opens the scope of a loop of at most so many turns, and gives the loop with its states as the body sees them.
    pub(super) fn open_loop<const N: usize>(
        &mut self,
        most: usize,
        mut states: [Handle; N],
    ) -> Result<(usize, [Handle; N])> {
        let begin = self.fixed_states("`iterate_until`", &states)?;
        let nothing: &'static Type = <()>::TYPE;
        let kind = Kind::Loop(Loop {
            most,
            ..Loop::default()
        });
        let of = self.push(kind, whole(&begin), nothing, Length::Known(0)).node;
        self.scopes.push(of);
        for (index, (state, node)) in states.iter_mut().zip(begin).enumerate() {
            let Node { element, length, .. } = self.nodes[node];
            *state = self.push(Kind::State { of, index }, Vec::new(), element, length);
        }
        Ok((of, states))
    }

    /// Closes the scope of a loop whose body has made `next` and `flag`. Gives the results, and the number of turns.
    pub(super) fn close_loop<const N: usize>(
        &mut self,
        of: usize,
        states: [Handle; N],
        next: [Handle; N],
        flag: Handle,
    ) -> Result<([Handle; N], Handle)> {
        let label = self.nodes[of].kind.label(of);
        for (index, (before, after)) in states.iter().zip(&next).enumerate() {
            self.check_state(index, *before, *after)?;
        }
        let made = self.fixed_states(&label, &next)?;
        let flag = self.fixed((&label, "flag"), flag)?;
        self.check_flag(&label, flag)?;
        let inside: Vec<usize> = states.iter().map(|state| state.node).collect();
        if let Kind::Loop(of) = &mut self.nodes[of].kind {
            (of.states, of.next, of.flag) = (inside, made, flag);
        }
        let seen = self.seen_by_body(of)?;
        self.nodes[of].operands.extend(seen.into_iter().map(Operand::Node));
        self.scopes.pop();
        let mut results = states;
        for (index, result) in results.iter_mut().enumerate() {
            let Node { element, length, .. } = self.nodes[result.node];
            *result = self.push_result(of, Some(index), element, length);
        }
        Ok((results, self.push_result(of, None, u32::TYPE, Length::Known(1))))
    }

    fn push_result(&mut self, of: usize, state: Option<usize>, element: &'static Type, length: Length) -> Handle {
        self.push(Kind::Result { of, state }, whole(&[of]), element, length)
    }

    /// Closes the scope of a loop whose body could not be made. Nothing of it will run, so it does not write buffers either.
    pub(super) fn abandon_loop(&mut self, of: usize) {
        self.scopes.retain(|scope| *scope < of);
        for node in &mut self.nodes {
            if let Kind::Buffer { writer, .. } = &mut node.kind {
                *writer = writer.filter(|writer| *writer < of);
            }
        }
    }

    /// The nodes of states, or of copies of those that are buffers.
    fn fixed_states(&mut self, label: &str, states: &[Handle]) -> Result<Vec<usize>, PlanError> {
        let states = states.iter().enumerate();
        states
            .map(|(index, state)| self.fixed((label, &format!("state {index}")), *state))
            .collect()
    }

    /// The node of a handle, or of a copy if that is a buffer, which may change.
    fn fixed(&mut self, (label, name): (&str, &str), handle: Handle) -> Result<usize, PlanError> {
        let parameter = Parameter {
            node: label,
            name: name.to_string(),
        };
        let node = self.own(&parameter, handle)?;
        let Node {
            ref kind,
            element,
            length,
            ..
        } = self.nodes[node];
        Ok(match kind {
            Kind::Buffer { .. } => {
                let read = Read { node, mode: Sight::Own };
                self.push(Kind::Copy, vec![Operand::Node(read)], element, length).node
            }
            _ => node,
        })
    }

    fn check_flag(&self, label: &str, flag: usize) -> Result<(), PlanError> {
        let node = &self.nodes[flag];
        match node.element.same(bool::TYPE) && node.length == Length::Known(1) {
            true => Ok(()),
            false => Err(PlanError::Argument {
                node: label.to_string(),
                parameter: "flag".to_string(),
                expected: "a column of one `bool`".to_string(),
                found: format!("{}, {}", self.column_of(node), node.kind.label(flag)),
            }),
        }
    }

    /// What the nodes of a body that run, and what it gives, see of other nodes.
    fn seen_by_body(&self, of: usize) -> Result<Vec<Read>, PlanError> {
        let outputs = self.nodes[of].kind.as_loop().map(Loop::outputs).unwrap_or_default();
        let graph = Graph::new(&self.nodes, Some(of), &outputs, false)?;
        let runs = (0..self.nodes.len()).filter(|node| graph.levels[*node].is_some());
        let reads = runs
            .flat_map(|node| self.nodes[node].reads())
            .map(|read| match read.mode.writes() {
                true => read,
                false => Read {
                    mode: Sight::Whole,
                    ..read
                },
            });
        let given = outputs.iter().map(|&node| Read {
            node,
            mode: Sight::Whole,
        });
        let mut seen: Vec<Read> = reads
            .chain(given)
            .filter(|read| self.nodes[read.node].scope != Some(of))
            .collect();
        seen.sort_unstable();
        seen.dedup();
        Ok(seen)
    }
}

/// Operands that are seen whole.
fn whole(nodes: &[usize]) -> Vec<Operand> {
    let whole = |&node| {
        Operand::Node(Read {
            node,
            mode: Sight::Whole,
        })
    };
    nodes.iter().map(whole).collect()
}
