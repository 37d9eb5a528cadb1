//! A plan's graph in the language of Graphviz.

use super::node::{Kind, Node, Operand, Sight};
use super::order::Order;

/// The graph: a frame around the nodes that run as one program, arrows with how a node sees what comes to it, dotted what does not run.
pub(super) fn dot(nodes: &[Node<'_>], order: &Order) -> String {
    let mut lines = vec![
        "digraph plan {".to_string(),
        "  node [shape=box, style=rounded, fontname=\"sans-serif\"];".to_string(),
        "  edge [fontname=\"sans-serif\", fontsize=10];".to_string(),
    ];
    let in_steps = order.steps.iter().flat_map(|step| &step.members);
    let runs: Vec<usize> = in_steps.copied().collect();
    for number in (0..nodes.len()).filter(|number| !runs.contains(number)) {
        lines.push(format!("  {}", vertex(nodes, order, number)));
    }
    for (number, step) in order.steps.iter().enumerate() {
        lines.push(format!("  subgraph cluster_{number} {{"));
        lines.push(format!("    label=\"step {number}\"; color=gray;"));
        lines.extend(
            step.members
                .iter()
                .map(|member| format!("    {}", vertex(nodes, order, *member))),
        );
        lines.push("  }".to_string());
    }
    for (number, node) in nodes.iter().enumerate() {
        let same = order.graph.same[number];
        match same == number {
            true => lines.extend(node.operands.iter().filter_map(|operand| edge(order, operand, number))),
            false => lines.push(format!("  n{same} -> n{number} [style=dotted, label=\"the same\"];")),
        }
    }
    lines.push("}".to_string());
    lines.join("\n")
}

/// A node: what it is and what it gives.
fn vertex(nodes: &[Node<'_>], order: &Order, number: usize) -> String {
    let Node {
        kind, element, length, ..
    } = &nodes[number];
    let shape = match kind {
        Kind::Input(_) => ", shape=ellipse",
        Kind::Buffer { .. } => ", shape=cylinder",
        _ if order.graph.levels[number].is_none() => ", style=dotted",
        _ => "",
    };
    let border = match order.graph.kept.contains(&number) && !kind.is_given() {
        true => ", peripheries=2",
        false => "",
    };
    let name = format!("{}\n{length} × {element}", kind.label(number));
    format!("n{number} [label={}{shape}{border}];", quoted(&name))
}

/// The way from what a node sees to the node, or back to the buffer that it writes.
fn edge(order: &Order, operand: &Operand, node: usize) -> Option<String> {
    let read = operand.read()?;
    let from = order.graph.same[read.node];
    let how = match read.mode {
        Sight::Own | Sight::OwnRef => "",
        Sight::Uniform => "one for all",
        Sight::Whole => "the whole column",
        Sight::Record | Sight::Chunk => "written",
        Sight::Atomic => "atomic",
    };
    let both = if read.mode.writes() { ", dir=both" } else { "" };
    Some(format!("  n{from} -> n{node} [label={}{both}];", quoted(how)))
}

/// A string as Graphviz has it.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
