//! A picture of a plan's graph. Its colours can be read on light and on dark ground, and its letters are all of one width, so that boxes
//! are as wide as what is in them.

mod inside;
mod layered;
mod scene;

use self::layered::Station;
use self::scene::{Arrow, Frame, Scene};
use super::text::content;
use super::{NodeKind, NodeReport, Report, Sight};

/// The width of a letter.
const LETTER: f64 = 7.3;
/// Letters of a line at most.
const MOST_LETTERS: usize = 44;
/// Between a box and what is in it, at its sides.
const PADDING: f64 = 14.0;
/// The height of a box, which has two lines.
const HEIGHT: f64 = 44.0;
/// Around the picture.
const MARGIN: f64 = 12.0;
/// The height of a line of the legend.
const LINE: f64 = 20.0;
/// Where the words of the legend begin, behind a sample.
const WORDS: f64 = 44.0;

/// How things look.
const STYLE: &str = "<style>
text { font: 12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; text-anchor: middle; fill: #1f2937 }
text.note { text-anchor: start; fill: #808a98 }
.frame { fill: #808a98; fill-opacity: 0.12; stroke: #808a98 }
.node { fill: #f3f4f6; stroke: #6b7280; stroke-width: 1.2 }
.given { fill: #dbeafe; stroke: #3b82f6; stroke-width: 1.2 }
.kept { fill: #dcfce7; stroke: #16a34a; stroke-width: 2 }
rect.idle { fill: none; stroke: #808a98; stroke-dasharray: 2 3 }
text.idle { fill: #808a98 }
.arrow { fill: none; stroke: #808a98; stroke-width: 1.4; marker-end: url(#end) }
.both { marker-start: url(#start) }
.uniform { stroke-dasharray: 7 4 }
.whole, .atomic { stroke-width: 3.2 }
.same { stroke-dasharray: 2 3 }
marker { fill: #808a98 }
</style>
<marker id=\"end\" markerUnits=\"userSpaceOnUse\" markerWidth=\"10\" markerHeight=\"8\" refX=\"9\" refY=\"4\" orient=\"auto\"><path d=\"M0 0L10 4L0 8z\"/></marker>
<marker id=\"start\" markerUnits=\"userSpaceOnUse\" markerWidth=\"10\" markerHeight=\"8\" refX=\"1\" refY=\"4\" orient=\"auto\"><path d=\"M10 0L0 4L10 8z\"/></marker>";

impl Report {
    /// A picture of the graph, in SVG: what is given is blue, what is kept green, what does not run dotted, and a frame is around nodes that
    /// run as one program.
    pub fn to_svg(&self) -> String {
        self.drawn(" xmlns=\"http://www.w3.org/2000/svg\"")
    }

    /// The same as a part of a page, which needs no name of the format.
    pub(in crate::plan) fn to_inline_svg(&self) -> String {
        self.drawn("")
    }

    fn drawn(&self, namespace: &str) -> String {
        let sizes: Vec<(f64, f64)> = self.nodes.iter().map(|node| (width(node), HEIGHT)).collect();
        let scene = Scene::new(self, &sizes);
        let mut shapes: Vec<String> = scene.frames.iter().map(frame).collect();
        shapes.extend(scene.arrows.iter().map(arrow));
        let boxes = self.nodes.iter().zip(&scene.boxes).enumerate();
        shapes.extend(boxes.map(|(number, (node, place))| vertex(number, node, *place)));
        let looks: Vec<Look> = LOOKS
            .into_iter()
            .filter(|look| scene.arrows.iter().any(|arrow| *look == Look::of(arrow)))
            .collect();
        let samples = looks.iter().enumerate();
        shapes.extend(samples.map(|(line, look)| look.sample(scene.height + LINE * (line + 1) as f64)));
        let words = looks
            .iter()
            .map(|look| WORDS + LETTER * look.words().len() as f64)
            .fold(0.0, f64::max);
        let width = scene.width.max(words) + 2.0 * MARGIN;
        let height = scene.height + LINE * looks.len() as f64 + 2.0 * MARGIN;
        format!(
            "<svg{namespace} width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"-{MARGIN} -{MARGIN} {width:.0} {height:.0}\">\n{STYLE}\n{}\n</svg>\n",
            shapes.join("\n")
        )
    }
}

/// How an arrow looks: how a node sees what comes to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Own,
    Uniform,
    Whole,
    Written,
    Atomic,
    Same,
}

/// The looks that the legend explains.
const LOOKS: [Look; 5] = [Look::Uniform, Look::Whole, Look::Written, Look::Atomic, Look::Same];

impl Look {
    fn of(arrow: &Arrow) -> Look {
        match arrow.link.sight {
            Some(Sight::Own | Sight::OwnRef) => Look::Own,
            Some(Sight::Uniform) => Look::Uniform,
            Some(Sight::Whole) => Look::Whole,
            Some(Sight::Record | Sight::Chunk) => Look::Written,
            Some(Sight::Atomic) => Look::Atomic,
            None => Look::Same,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Look::Own => "arrow",
            Look::Uniform => "arrow uniform",
            Look::Whole => "arrow whole",
            Look::Written => "arrow both",
            Look::Atomic => "arrow both atomic",
            Look::Same => "arrow same",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Look::Own => "each VM its own entry",
            Look::Uniform => "one value for all VMs",
            Look::Whole => "all VMs the whole column",
            Look::Written => "each VM its own entries, and writes them",
            Look::Atomic => "all VMs the whole column, by atomic access",
            Look::Same => "the same, computed once",
        }
    }

    /// A line of the legend.
    fn sample(self, y: f64) -> String {
        format!(
            "<path class=\"{}\" d=\"M0 {y:.1}H34\"/><text class=\"note\" x=\"{WORDS}\" y=\"{:.1}\">{}</text>",
            self.class(),
            y + 4.0,
            self.words()
        )
    }
}

/// The two lines of a box.
fn lines(number: usize, node: &NodeReport) -> [String; 2] {
    let what = format!("{} × {}", node.length(), node.element);
    let [first, second] = match (node.kind, &node.routine) {
        (kind, _) if !kind.computes() => [node.label.clone(), what],
        (_, Some(routine)) => [format!("{} {routine}", node.kind), format!("node {number}: {what}")],
        (_, None) => [node.kind.to_string(), format!("node {number}: {what}")],
    };
    [shortened(&first), shortened(&second)]
}

/// A line that is no longer than it may be.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}

fn width(node: &NodeReport) -> f64 {
    // Numbers have at most as many digits as there are nodes, and boxes of one plan should not differ by them.
    let letters = lines(0, node)
        .map(|line| line.chars().count())
        .into_iter()
        .max()
        .unwrap_or(0);
    LETTER * (letters + 1) as f64 + 2.0 * PADDING
}

fn vertex(number: usize, node: &NodeReport, place: Station) -> String {
    let width = width(node);
    let (left, Station { x, top, .. }) = (place.x - width / 2.0, place);
    let (class, round) = match node.kind {
        NodeKind::Input => ("given", HEIGHT / 2.0),
        NodeKind::Buffer | NodeKind::Zeros => ("given", 3.0),
        _ if node.is_left_out() => ("idle", 6.0),
        _ if node.kept => ("kept", 6.0),
        _ => ("node", 6.0),
    };
    let [first, second] = lines(number, node).map(|line| escaped(&line));
    let text = if class == "idle" { " class=\"idle\"" } else { "" };
    format!(
        "<g><title>{}</title><rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\" rx=\"{round}\"/>\
         <text{text} x=\"{x:.1}\" y=\"{:.1}\">{first}</text><text{text} x=\"{x:.1}\" y=\"{:.1}\">{second}</text></g>",
        escaped(&format!("{}: {}", node.label, content(node))),
        top + 18.0,
        top + 34.0,
    )
}

fn frame(frame: &Frame) -> String {
    let Frame {
        step,
        left,
        top,
        width,
        height,
    } = frame;
    format!(
        "<rect class=\"frame\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\"/>\
         <text class=\"note\" x=\"{:.1}\" y=\"{:.1}\">step {step}</text>",
        left + 8.0,
        top + 16.0
    )
}

/// An arrow: straight down past rows, and curved between them.
fn arrow(arrow: &Arrow) -> String {
    let mut stations = arrow.way.iter();
    let Some(mut before) = stations.next() else {
        return String::new();
    };
    let mut path = format!("M{:.1} {:.1}", before.x, before.bottom);
    let last = arrow.way.len() - 1;
    for (number, station) in stations.enumerate() {
        let mut y = before.bottom;
        if station.x != before.x {
            let (from, to, middle) = (before.x, station.x, (y + station.top) / 2.0);
            y = station.top;
            path += &format!("C{from:.1} {middle:.1} {to:.1} {middle:.1} {to:.1} {y:.1}");
        }
        let end = if number + 1 < last { station.bottom } else { station.top };
        if end > y {
            path += &format!("V{end:.1}");
        }
        before = station;
    }
    format!("<path class=\"{}\" d=\"{path}\"/>", Look::of(arrow).class())
}

/// Text as XML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
