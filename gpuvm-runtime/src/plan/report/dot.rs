//! A plan's graph in the language of Graphviz.

use super::{LoopReport, NodeKind, NodeReport, ReadReport, Report, Sight};

impl Report {
    /// The graph in the language of [Graphviz](https://graphviz.org): a frame around the nodes that run as one program, arrows with how a
    /// node sees what comes to it, outputs with a double border, and dotted what does not run.
    pub fn to_dot(&self) -> String {
        let mut lines = vec![
            "digraph plan {".to_string(),
            "  node [shape=box, style=rounded, fontname=\"sans-serif\"];".to_string(),
            "  edge [fontname=\"sans-serif\", fontsize=10];".to_string(),
        ];
        self.frames("", &mut lines);
        for (number, node) in self.nodes.iter().enumerate() {
            match node.same_as {
                None => lines.extend(node.reads.iter().map(|read| edge(read, number))),
                Some(same) => lines.push(format!("  n{same} -> n{number} [style=dotted, label=\"the same\"];")),
            }
        }
        lines.push("}".to_string());
        lines.join("\n")
    }

    /// The nodes of a plan or of a loop's body, in frames, and the ways from turn to turn. `within` are the numbers of the frames around
    /// them.
    fn frames(&self, within: &str, lines: &mut Vec<String>) {
        let here = self.nodes.iter().enumerate().filter(|(_, node)| !node.elsewhere);
        let alone = here.filter(|(_, node)| node.step.is_none());
        lines.extend(alone.map(|(number, node)| format!("  {}", vertex(number, node))));
        for (number, step) in self.steps.iter().enumerate() {
            lines.push(format!("  subgraph cluster_{within}{number} {{"));
            lines.push(format!("    label=\"step {number}\"; color=gray;"));
            let members = step
                .members
                .iter()
                .filter_map(|member| Some((*member, self.nodes.get(*member)?)));
            lines.extend(members.map(|(number, node)| format!("    {}", vertex(number, node))));
            lines.push("  }".to_string());
        }
        for of in &self.loops {
            let LoopReport { node, most_turns, .. } = of;
            lines.push(format!("  subgraph cluster_{within}body_{node} {{"));
            let name = self.nodes.get(*node).map_or("", |node| &node.label);
            lines.push(format!(
                "    label=\"{name}, at most {most_turns} turns\"; style=dashed;"
            ));
            of.body.frames(&format!("{within}{node}_"), lines);
            lines.push("  }".to_string());
            let turns = of
                .next
                .iter()
                .zip(&of.states)
                .map(|(next, state)| (next, state, "next turn"));
            let ways = turns.chain([(&of.flag, node, "until")]);
            lines.extend(ways.map(|(from, to, how)| format!("  n{from} -> n{to} [style=dashed, label=\"{how}\"];")));
        }
    }
}

/// A node: what it is and what it gives.
fn vertex(number: usize, node: &NodeReport) -> String {
    let shape = match node.kind {
        NodeKind::Input | NodeKind::State => ", shape=ellipse",
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
