//! A plan's graph in the language of Graphviz.

use super::node::{Kind, Node, Operand, Sight};
use super::order::Order;
use super::prepared::Prepared;

/// The graph: a frame around the nodes that run as one program and around a loop's body, arrows with how a node sees what comes to it,
/// dotted what does not run.
pub(super) fn dot(nodes: &[Node<'_>], prepared: &Prepared) -> String {
    let mut lines = vec![
        "digraph plan {".to_string(),
        "  node [shape=box, style=rounded, fontname=\"sans-serif\"];".to_string(),
        "  edge [fontname=\"sans-serif\", fontsize=10];".to_string(),
    ];
    scope(nodes, prepared, "", &mut lines);
    for (number, node) in nodes.iter().enumerate() {
        let same = prepared.order.graph.same[number];
        match same == number {
            true => lines.extend(
                node.operands
                    .iter()
                    .filter_map(|operand| edge(&prepared.order, operand, number)),
            ),
            false => lines.push(format!("  n{same} -> n{number} [style=dotted, label=\"the same\"];")),
        }
        lines.extend(node.kind.as_loop().into_iter().flat_map(|of| {
            let states = of
                .states
                .iter()
                .zip(&of.next)
                .map(|(state, next)| (*next, *state, "next turn"));
            let all = states.chain([(of.flag, number, "until")]);
            all.map(|(from, to, how)| format!("  n{from} -> n{to} [style=dashed, label={}];", quoted(how)))
        }));
    }
    lines.push("}".to_string());
    lines.join("\n")
}

/// The nodes of a plan or of a loop's body, in frames. `within` are the numbers of the frames around them.
fn scope(nodes: &[Node<'_>], prepared: &Prepared, within: &str, lines: &mut Vec<String>) {
    let order = &prepared.order;
    let in_steps = order.steps.iter().flat_map(|step| &step.members);
    let runs: Vec<usize> = in_steps.copied().collect();
    let inside = |number: &usize| nodes[*number].scope == order.graph.scope;
    for number in (0..nodes.len()).filter(|number| inside(number) && !runs.contains(number)) {
        lines.push(format!("  {}", vertex(nodes, order, number)));
    }
    for (number, step) in order.steps.iter().enumerate() {
        lines.push(format!("  subgraph cluster_{within}{number} {{"));
        lines.push(format!("    label=\"step {number}\"; color=gray;"));
        lines.extend(
            step.members
                .iter()
                .map(|member| format!("    {}", vertex(nodes, order, *member))),
        );
        lines.push("  }".to_string());
        if let (Some(body), Some(of)) = (prepared.bodies.get(&step.root), nodes[step.root].kind.as_loop()) {
            let (name, most) = (nodes[step.root].kind.label(step.root), of.most);
            lines.push(format!("  subgraph cluster_{within}{number}_body {{"));
            lines.push(format!("    label=\"{name}, at most {most} turns\"; style=dashed;"));
            scope(nodes, body, &format!("{within}{number}_"), lines);
            lines.push("  }".to_string());
        }
    }
}

/// A node: what it is and what it gives.
fn vertex(nodes: &[Node<'_>], order: &Order, number: usize) -> String {
    let Node {
        kind, element, length, ..
    } = &nodes[number];
    let shape = match kind {
        Kind::Input(_) | Kind::State { .. } => ", shape=ellipse",
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
