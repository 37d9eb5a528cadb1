//! What a plan does, told to a person.

use std::fmt;

use gpuvm_engine::Engine;

use super::{ColumnReport, KernelReport, NodeKind, NodeReport, Report, StepReport};
use crate::error::Result;

/// What a plan does, or why it cannot run: `Display` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    told: Result<Box<Report>, String>,
}

impl Explanation {
    pub(in crate::plan) fn new(report: Result<Report>) -> Explanation {
        Explanation {
            told: report.map(Box::new).map_err(|error| error.to_string()),
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.told {
            Ok(report) => write!(f, "{report}"),
            Err(error) => write!(f, "this plan cannot run: {error}"),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![self.head()];
        lines.extend(self.given());
        for (phase, nodes) in self.phases.iter().enumerate() {
            lines.push(format!("phase {phase}: {}", self.labels(nodes)));
        }
        lines.extend(
            self.steps
                .iter()
                .enumerate()
                .map(|(number, step)| self.step(number, step)),
        );
        lines.extend(self.columns.iter().map(|column| self.column(column)));
        lines.push(format!(
            "columns take {} at a time, and would take {} if none used another's memory again",
            size(self.peak_bytes),
            size(self.peak_bytes_without_reuse)
        ));
        lines.push(self.totals());
        lines.extend(self.left_out());
        for of in &self.loops {
            let (name, body) = (self.label(of.node), of.body.to_string());
            lines.push(format!("{name}: at most {} turns", of.most_turns));
            lines.extend(body.lines().map(|line| format!("{name}, {line}")));
        }
        f.write_str(&lines.join("\n"))
    }
}

impl Report {
    fn label(&self, node: usize) -> &str {
        self.nodes.get(node).map_or("", |node| &node.label)
    }

    fn labels(&self, nodes: &[usize]) -> String {
        let labels: Vec<&str> = nodes.iter().map(|node| self.label(*node)).collect();
        labels.join(", ")
    }

    fn head(&self) -> String {
        let nodes = self.nodes.iter().filter(|node| !node.elsewhere).count();
        let (phases, steps) = (self.phases.len(), self.steps.len());
        let how = match self.engine {
            Engine::Native => " (where nodes are called one by one, and steps are what the other engines would run)",
            _ => "",
        };
        format!(
            "{nodes} nodes in {phases} phases and {steps} steps on the {} engine{how}",
            self.engine
        )
    }

    /// The caller's columns, buffers and zeros, and who writes these.
    fn given(&self) -> impl Iterator<Item = String> {
        let given = self.nodes.iter().enumerate();
        let given = given.filter(|(_, node)| !node.elsewhere && node.kind != NodeKind::State);
        given.filter(|(_, node)| !node.kind.computes()).map(|(number, node)| {
            let written = self
                .writer(number)
                .map(|writer| format!(", written by {}", self.label(writer)));
            format!("{}: {}{}", node.label, content(node), written.unwrap_or_default())
        })
    }

    /// The node that writes a buffer.
    pub(super) fn writer(&self, buffer: usize) -> Option<usize> {
        let writes = |node: &NodeReport| {
            let mut reads = node.reads.iter();
            reads.any(|read| read.node == buffer && read.sight.writes())
        };
        self.nodes.iter().position(writes)
    }

    /// What runs as one, and as what.
    fn step(&self, number: usize, step: &StepReport) -> String {
        let fused = match step.members.len() {
            1 => "",
            _ => ", fused",
        };
        if let Some(of) = self.loops.iter().find(|of| step.members.contains(&of.node)) {
            let members = self.labels(&step.members);
            return format!("step {number}: {members}; at most {} turns", of.most_turns);
        }
        let (instructions, linear) = linear(step.kernels.iter());
        format!(
            "step {number}: {}{fused}; {instructions} instructions, {} % linear, {}",
            self.labels(&step.members),
            share(linear, instructions),
            epochs(&step.kernels),
        )
    }

    /// A column that is stored, from when to when, and where it can lie.
    fn column(&self, column: &ColumnReport) -> String {
        let until = match column.free_from_step {
            None => "the end".to_string(),
            Some(free) => format!("step {}", free - 1),
        };
        let content = self.nodes.get(column.node).map(content).unwrap_or_default();
        let place = column
            .can_replace
            .map(|other| format!(", and can lie where that of {} lay", self.label(other)));
        format!(
            "column of {}: {content}, from step {} to {until}{}",
            self.label(column.node),
            column.from_step,
            place.unwrap_or_default()
        )
    }

    fn totals(&self) -> String {
        let (instructions, linear) = linear(self.kernels());
        let all = self.matrices;
        format!(
            "matrices: {} sparse, {} dense, {} against {} all dense; {} % of instructions are linear",
            all.sparse,
            all.dense,
            size(all.bytes),
            size(all.bytes_all_dense),
            share(linear, instructions),
        )
    }

    /// Nodes that do not run, because another one is equal or nobody needs them.
    fn left_out(&self) -> Vec<String> {
        let idle = self.nodes.iter().filter(|node| node.is_left_out());
        let (merged, unused): (Vec<&NodeReport>, Vec<&NodeReport>) = idle.partition(|node| node.same_as.is_some());
        let merged = merged.iter().filter_map(|node| {
            let same = node.same_as?;
            Some(format!("{} is {}", node.label, self.label(same)))
        });
        let mut lines: Vec<String> = merged.collect();
        if !unused.is_empty() {
            let labels: Vec<&str> = unused.iter().map(|node| node.label.as_str()).collect();
            lines.push(format!("left out, as no output needs it: {}", labels.join(", ")));
        }
        lines
    }
}

/// Entries, their type and size.
pub(super) fn content(node: &NodeReport) -> String {
    let NodeReport { element, bytes, .. } = node;
    let entries = if node.entries == 1 { "entry" } else { "entries" };
    format!("{} {entries} of `{element}`, {}", node.length(), size(*bytes))
}

/// Instructions in all, and linear ones.
fn linear<'k>(kernels: impl Iterator<Item = &'k KernelReport>) -> (u64, u64) {
    kernels.fold((0, 0), |(all, linear), kernel| {
        (all + kernel.instructions, linear + kernel.instructions_by_class[0])
    })
}

/// How many epochs a step's programs take.
fn epochs(kernels: &[KernelReport]) -> String {
    let all: Option<u64> = kernels.iter().map(|kernel| kernel.estimated_epochs).sum();
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
pub(in crate::plan) fn size(bytes: u64) -> String {
    let unit = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match unit.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} bytes"),
    }
}
