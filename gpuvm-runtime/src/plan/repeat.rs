//! Loops on their way. On an engine that has sequences of jobs, several turns are sent ahead, each with a *gate* behind it: a kernel that
//! yields if the flag is set, so that the device itself keeps the turns after the last from starting. The host looks from time to time.

use std::borrow::Cow;
use std::sync::Arc;

use gpuvm_core::isa::{Instruction, Op};
use gpuvm_core::routine::Routine;
use gpuvm_core::types::{TypeRef, Value};
use gpuvm_engine::Execute;

use super::data::{Data, words};
use super::fuse::Step;
use super::kernel::{Column, gate};
use super::node::{Kind, Loop};
use super::prepared::Linked;
use super::program::{At, Columns};
use super::run::Run;
use crate::error::{PlanError, Result};

/// Turns that are sent before the host looks at most. It begins with one and doubles, so that a short loop sends little in vain.
const MOST_AHEAD: usize = 32;

/// The end of a turn that may be the last.
pub(super) struct Gate {
    /// Turns up to here.
    pub turns: usize,
    /// What has become of the states.
    pub states: Vec<Data>,
    /// Whether that is all.
    pub flag: Data,
}

/// A routine that yields if its argument is set.
pub(super) static GATE: Routine = Routine {
    name: Cow::Borrowed("until"),
    file: Cow::Borrowed(file!()),
    line: line!(),
    params: Cow::Borrowed(&[TypeRef::of::<bool>()]),
    result: TypeRef::of::<()>(),
    words: 1,
    code: Cow::Borrowed(&[
        Instruction::new(Op::JumpUnless, [2, 0, 0, 0]),
        Instruction::new(Op::Yield, [0; 4]),
        Instruction::new(Op::Return, [0; 4]),
    ]),
    lines: Cow::Borrowed(&[line!(); 3]),
    matrices: Cow::Borrowed(&[]),
    terms: Cow::Borrowed(&[]),
    callees: Cow::Borrowed(&[]),
    constants: Cow::Borrowed(&[]),
    sites: Cow::Borrowed(&[]),
    variables: Cow::Borrowed(&[]),
    pieces: Cow::Borrowed(&[]),
    relaxed: false,
    is_const: false,
    refused: None,
    held: Vec::new(),
    tables: Vec::new(),
};

/// Where gates are sent, and the kernel that they are.
type Sender<'s> = (&'s Arc<dyn Execute>, Arc<Linked>);

impl<'p> Run<'p, '_> {
    /// Runs a loop, with gates if the engine has sequences.
    ///
    /// # Errors
    ///
    /// When the device fails, or [`Error::Trap`](crate::Error::Trap) as if the turns had been run one by one.
    pub fn repeat(&mut self, step: &Step, of: &'p Loop, executor: Option<&Arc<dyn Execute>>) -> Result<()> {
        // Gates of a loop around this one may have ended it.
        self.look()?;
        let Some(body) = self
            .prepared
            .bodies
            .get(&step.root)
            .filter(|_| !self.under_way.is_closed())
        else {
            return Ok(());
        };
        let sender = match executor.filter(|_| self.under_way.is_possible()) {
            Some(executor) => Some((executor, self.kernel(|_| gate())?)),
            None => None,
        };
        let begin = (0..of.states.len()).map(|index| self.data(self.operand(step.root, index).node));
        let begin = begin.collect();
        let outer = self.enter(body);
        self.profile_loop(step);
        let left = self.turns(of, begin, sender);
        self.profile_loop_ended();
        self.enter(outer);
        let (turns, states) = left?;
        self.clear(Some(step.root));
        for &node in &step.stored {
            self.columns[node] = match self.nodes[node].kind {
                Kind::Result { state: Some(index), .. } => states.get(index).cloned(),
                _ => {
                    let turns = u32::try_from(turns).unwrap_or(u32::MAX);
                    Some(words(u32::TYPE, 1, vec![turns]))
                }
            };
        }
        Ok(())
    }

    /// Takes turns until the flag is set. Gives how many, and what has become of the states.
    fn turns(&mut self, of: &'p Loop, mut states: Vec<Data>, sender: Option<Sender<'_>>) -> Result<(usize, Vec<Data>)> {
        let (mut ahead, mut look_at) = (1, 1);
        for turns in 1..=of.most {
            self.clear(self.order.graph.scope);
            for (&node, state) in of.states.iter().zip(states) {
                self.columns[node] = Some(state);
            }
            self.steps()?;
            states = of.next.iter().map(|next| self.left(*next)).collect();
            let (flag, last) = (self.left(of.flag), turns == of.most);
            if !last && !self.under_way.is_closed() {
                self.check_flag(of.flag, &flag)?;
                let states = states.clone();
                self.close_if(Gate { turns, states, flag }, sender.as_ref())?;
            }
            if last || turns == look_at {
                self.look()?;
                ahead = MOST_AHEAD.min(2 * ahead);
                look_at = turns + ahead;
            }
            if let Some(Gate { turns, states, .. }) = self.under_way.reopen() {
                return Ok((turns, states));
            }
        }
        Ok((of.most, states))
    }

    /// Drops the columns of a body, so that the next turn begins without.
    fn clear(&mut self, scope: Option<usize>) {
        for (node, column) in self.nodes.iter().zip(&mut self.columns) {
            if node.scope == scope {
                *column = None;
            }
        }
    }

    /// What a turn has left for a node.
    fn left(&self, node: usize) -> Data {
        self.data(self.order.graph.same[node])
    }

    /// Refuses a flag that would be folded of nothing.
    fn check_flag(&self, node: usize, flag: &Data) -> Result<(), PlanError> {
        let label = |node: usize| self.nodes[node].kind.label(node);
        match self.entries(flag) {
            0 => Err(PlanError::NoValue {
                node: self.order.graph.scope.map(label).unwrap_or_default(),
                parameter: "flag".to_string(),
                from: label(node),
            }),
            _ => Ok(()),
        }
    }

    /// Ends the loop if the flag is set: by a gate if one can be sent, else now.
    fn close_if(&mut self, gate: Gate, sender: Option<&Sender<'_>>) -> Result<()> {
        let mut gate = Some(gate);
        if let Some((executor, kernel)) = sender {
            let at = At {
                engine: self.engine,
                executor,
                root: self.order.graph.scope.unwrap_or_default(),
            };
            self.send_gate(at, kernel, &mut gate)?;
        }
        let Some(gate) = gate else { return Ok(()) };
        self.settle()?;
        if !self.under_way.is_closed() && self.is_set(&gate.flag)? {
            self.under_way.close(gate);
        }
        Ok(())
    }

    /// Adds a gate to the sequence, and takes it if that was possible.
    fn send_gate(&mut self, at: At<'_>, kernel: &Linked, gate: &mut Option<Gate>) -> Result<()> {
        let flag = gate.as_ref().map(|gate| (Column::From, gate.flag.clone()));
        let columns = Columns::from(flag);
        let (course, mut params) = self.course(at, kernel, 1, &columns)?;
        self.send(course, kernel, &mut params, gate)?;
        Ok(())
    }

    /// Whether a flag is set.
    pub fn is_set(&self, flag: &Data) -> Result<bool> {
        Ok(self.words_of(flag)?.iter().any(|word| *word != 0))
    }

    /// Waits if a loop may have ended.
    fn look(&mut self) -> Result<()> {
        match self.under_way.has_gates() {
            true => self.settle(),
            false => Ok(()),
        }
    }
}
