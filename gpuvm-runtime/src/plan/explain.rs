//! What a plan does, told to a person.

use std::fmt;

use gpuvm_core::program::Metadata;

use super::Options;
use super::fuse::Step;
use super::node::{Kind, Node};
use super::order::{Life, Order};
use super::prepared::Prepared;
use super::run::Runner;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// What a plan does: `Display` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    lines: Vec<String>,
}

impl Explanation {
    /// Why there is nothing to explain.
    pub(super) fn of_error(error: &Error) -> Explanation {
        Explanation {
            lines: vec![format!("this plan cannot run: {error}")],
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

/// Explains a plan.
///
/// # Errors
///
/// [`Error::Link`] if a step cannot be linked.
pub(super) fn explain(
    runtime: &Runtime,
    nodes: &[Node<'_>],
    prepared: &Prepared,
    engine: Engine,
    options: Options,
) -> Result<Explanation> {
    let order = &prepared.order;
    let mut teller = Teller {
        nodes,
        order,
        lines: Vec::new(),
    };
    let runner = Runner::new(runtime, nodes, prepared, engine, options);
    let programs = order.steps.iter().map(|step| {
        let sketches = runner.sketches(step);
        let linked = sketches.iter().map(|sketch| runtime.link_kernel(&sketch.kernel));
        linked.map(|program| Ok(program?.metadata())).collect()
    });
    let programs: Vec<Vec<Metadata>> = programs.collect::<Result<_>>()?;
    teller.head(engine);
    teller.phases();
    teller.kernels(&programs);
    teller.columns(options.reuse);
    teller.totals(&programs);
    teller.left_out();
    for (&of, body) in &prepared.bodies {
        let body = explain(runtime, nodes, body, engine, options)?;
        let name = nodes[of].kind.label(of);
        teller
            .lines
            .extend(body.lines.iter().map(|line| format!("{name}, {line}")));
    }
    Ok(Explanation { lines: teller.lines })
}

/// Tells one part after the other.
struct Teller<'t, 'a> {
    nodes: &'t [Node<'a>],
    order: &'t Order,
    lines: Vec<String>,
}

impl Teller<'_, '_> {
    fn label(&self, node: usize) -> String {
        self.nodes[node].kind.label(node)
    }

    fn labels(&self, nodes: &[usize]) -> String {
        nodes
            .iter()
            .map(|node| self.label(*node))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn head(&mut self, engine: Engine) {
        let (phases, steps) = (self.order.graph.phases().len(), self.order.steps.len());
        let how = match engine {
            Engine::Native => " (where nodes are called one by one, and steps are what the other engines would run)",
            _ => "",
        };
        let scope = self.order.graph.scope;
        let nodes = self.nodes.iter().filter(|node| node.scope == scope).count();
        let turns = scope.and_then(|of| self.nodes[of].kind.as_loop());
        let turns = turns.map_or(String::new(), |of| format!("at most {} turns of ", of.most));
        self.lines.push(format!(
            "{turns}{nodes} nodes in {phases} phases and {steps} steps on the {engine} engine{how}"
        ));
    }

    fn phases(&mut self) {
        for (phase, nodes) in self.order.graph.phases().iter().enumerate() {
            let line = format!("phase {phase}: {}", self.labels(nodes));
            self.lines.push(line);
        }
    }

    /// What runs as one, and as what.
    fn kernels(&mut self, programs: &[Vec<Metadata>]) {
        for (number, (step, programs)) in self.order.steps.iter().zip(programs).enumerate() {
            if let Some(of) = self.nodes[step.root].kind.as_loop() {
                let members = self.labels(&step.members);
                self.lines
                    .push(format!("step {number}: {members}; at most {} turns", of.most));
                continue;
            }
            let fused = match step.members.len() {
                1 => "",
                _ => ", fused",
            };
            let sum = |of: fn(&Metadata) -> u32| programs.iter().map(of).sum::<u32>();
            let (instructions, linear) = (sum(|program| program.instructions), sum(|program| program.by_class[0]));
            let line = format!(
                "step {number}: {}{fused}; {instructions} instructions, {} % linear, {}",
                self.labels(&step.members),
                share(linear.into(), instructions.into()),
                epochs(programs),
            );
            self.lines.push(line);
        }
    }

    /// Which columns are stored, from when to when, and how much memory they take at a time.
    fn columns(&mut self, reuse: bool) {
        let steps = self.order.steps.len();
        for Life { node, first, last } in self.order.lives(self.nodes, reuse) {
            let until = match last {
                last if last >= steps => "the end".to_string(),
                last => format!("step {last}"),
            };
            let Node { element, length, .. } = &self.nodes[node];
            let size = bytes(4 * self.nodes[node].words());
            let label = self.label(node);
            self.lines.push(format!(
                "column of {label}: {length} entries of `{element}`, {size}, from step {first} to {until}"
            ));
        }
        self.lines.push(format!(
            "columns take {} at a time, and would take {} if none used another's memory again",
            bytes(4 * self.peak(reuse)),
            bytes(4 * self.peak(false))
        ));
    }

    /// The words of all columns at the time when they are most.
    fn peak(&self, reuse: bool) -> u64 {
        let lives: Vec<Life> = self.order.lives(self.nodes, reuse).collect();
        let at = |step: usize| {
            let there = lives.iter().filter(|life| life.first <= step && step <= life.last);
            let columns: u64 = there.map(|life| self.nodes[life.node].words()).sum();
            columns + self.scratch(&self.order.steps[step])
        };
        (0..self.order.steps.len()).map(at).max().unwrap_or_default()
    }

    /// The words of columns that only one step has: a filter's flags, and what it works on if that is a part of the step.
    fn scratch(&self, step: &Step) -> u64 {
        let Kind::Filter(_) = self.nodes[step.root].kind else {
            return 0;
        };
        let of = self.order.graph.reads(self.nodes, step.root);
        let inside = of
            .iter()
            .map(|read| read.node)
            .filter(|node| step.members.contains(node));
        let own: u64 = inside
            .filter(|node| !step.stored.contains(node))
            .map(|node| self.nodes[node].words())
            .sum();
        self.nodes[step.root].length.most() as u64 + own
    }

    fn totals(&mut self, programs: &[Vec<Metadata>]) {
        let all: Vec<&Metadata> = programs.iter().flatten().collect();
        let sum = |of: fn(&Metadata) -> u64| all.iter().map(|program| of(program)).sum::<u64>();
        let linear = share(
            sum(|program| program.by_class[0].into()),
            sum(|program| program.instructions.into()),
        );
        self.lines.push(format!(
            "matrices: {} sparse, {} dense, {} against {} all dense; {linear} % of instructions are linear",
            sum(|program| program.matrices.sparse.into()),
            sum(|program| program.matrices.dense.into()),
            bytes(sum(|program| program.matrices.bytes)),
            bytes(sum(|program| program.matrices.bytes_all_dense)),
        ));
    }

    /// Nodes that do not run, because another one is equal or nobody needs them.
    fn left_out(&mut self) {
        let graph = &self.order.graph;
        let inside = (0..self.nodes.len()).filter(|node| self.nodes[*node].scope == graph.scope);
        let idle = inside.filter(|node| self.nodes[*node].kind.computes() && graph.levels[*node].is_none());
        let (merged, unused): (Vec<usize>, Vec<usize>) = idle.partition(|node| graph.same[*node] != *node);
        for node in merged {
            let line = format!("{} is {}", self.label(node), self.label(graph.same[node]));
            self.lines.push(line);
        }
        if !unused.is_empty() {
            let line = format!("left out, as no output needs it: {}", self.labels(&unused));
            self.lines.push(line);
        }
    }
}

/// How many epochs a step's programs take.
fn epochs(programs: &[Metadata]) -> String {
    let all: Option<u64> = programs.iter().map(|program| program.estimated_epochs).sum();
    match all {
        Some(epochs) => format!("at most {epochs} epochs"),
        None => "as many epochs as the data makes it".to_string(),
    }
}

/// A share in percent.
fn share(part: u64, whole: u64) -> u64 {
    (100 * part).checked_div(whole).unwrap_or(0)
}

/// A size for people.
fn bytes(count: u64) -> String {
    let unit = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match unit.into_iter().find(|(unit, _)| count >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", count as f64 / unit as f64),
        None => format!("{count} bytes"),
    }
}
