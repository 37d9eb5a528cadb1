//! A plan's graph in the language of Graphviz.

use super::{NodeKind, NodeReport, ReadReport, Report, Sight};

impl Report {
    /// The graph in the language of [Graphviz](https://graphviz.org): a frame around the nodes that run as one program, arrows with how a
    /// node sees what comes to it, outputs with a double border, and dotted what does not run.
    pub fn to_dot(&self) -> String {
        let mut lines = vec![
            "digraph plan {".to_string(),
            "  node [shape=box, style=rounded, fontname=\"sans-serif\"];".to_string(),
            "  edge [fontname=\"sans-serif\", fontsize=10];".to_string(),
        ];
        let nodes = || self.nodes.iter().enumerate();
        let alone = nodes().filter(|(_, node)| node.step.is_none());
        lines.extend(alone.map(|(number, node)| format!("  {}", vertex(number, node))));
        for (number, step) in self.steps.iter().enumerate() {
            lines.push(format!("  subgraph cluster_{number} {{"));
            lines.push(format!("    label=\"step {number}\"; color=gray;"));
            let members = step
                .members
                .iter()
                .filter_map(|member| Some((*member, self.nodes.get(*member)?)));
            lines.extend(members.map(|(number, node)| format!("    {}", vertex(number, node))));
            lines.push("  }".to_string());
        }
        for (number, node) in nodes() {
            match node.same_as {
                None => lines.extend(node.reads.iter().map(|read| edge(read, number))),
                Some(same) => lines.push(format!("  n{same} -> n{number} [style=dotted, label=\"the same\"];")),
            }
        }
        lines.push("}".to_string());
        lines.join("\n")
    }
}

/// A node: what it is and what it gives.
fn vertex(number: usize, node: &NodeReport) -> String {
    let shape = match node.kind {
        NodeKind::Input => ", shape=ellipse",
        NodeKind::Buffer | NodeKind::Zeros => ", shape=cylinder",
        _ if node.is_left_out() => ", style=dotted",
        _ => "",
    };
    let given = matches!(node.kind, NodeKind::Input | NodeKind::Buffer);
    let border = if node.kept && !given { ", peripheries=2" } else { "" };
    let name = format!("{}\n{} × {}", node.label, node.length(), node.element);
    format!("n{number} [label={}{shape}{border}];", quoted(&name))
}

/// The way from what a node sees to the node, or back to the buffer that it writes.
fn edge(read: &ReadReport, node: usize) -> String {
    let how = match read.sight {
        Sight::Own | Sight::OwnRef => "",
        Sight::Uniform => "one for all",
        Sight::Whole => "the whole column",
        Sight::Record | Sight::Chunk => "written",
        Sight::Atomic => "atomic",
    };
    let both = if read.sight.writes() { ", dir=both" } else { "" };
    format!("  n{} -> n{node} [label={}{both}];", read.node, quoted(how))
}

/// A string as Graphviz has it.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
