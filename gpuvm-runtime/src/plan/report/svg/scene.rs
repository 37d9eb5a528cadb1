//! Where the nodes of a plan are in its picture, and which way arrows go: below each step what reads it.

use std::collections::{BTreeMap, BTreeSet};

use super::inside::Inside;
use super::layered::{Gap, Item, Layout, Station, layered};
use crate::plan::report::{Report, Sight};

/// What is where.
pub(super) struct Scene {
    /// The nodes.
    pub boxes: Vec<Station>,
    /// The steps of several nodes.
    pub frames: Vec<Frame>,
    pub arrows: Vec<Arrow>,
    pub width: f64,
    pub height: f64,
}

/// A frame around the nodes of a step.
pub(super) struct Frame {
    pub step: usize,
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

/// An arrow from a node to another one.
pub(super) struct Arrow {
    pub link: Link,
    /// From the one box to the other.
    pub way: Vec<Station>,
}

/// What joins two nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub from: usize,
    pub to: usize,
    /// How the second sees the first; `None` if it is equal to it.
    pub sight: Option<Sight>,
}

/// Between what is placed.
const GAP: Gap = Gap {
    across: 28.0,
    down: 36.0,
};
/// Between the points of several arrows at one box.
const POINTS: f64 = 16.0;

/// The nodes of a step, or a node that is no step's.
struct Group {
    members: Vec<usize>,
    step: Option<usize>,
}

impl Scene {
    /// Lays a plan out whose nodes take so much room each.
    pub fn new(report: &Report, sizes: &[(f64, f64)]) -> Scene {
        let (links, groups) = (links(report), groups(report));
        let mut group_of = vec![0; report.nodes.len()];
        for (number, group) in groups.iter().enumerate() {
            group.members.iter().for_each(|member| group_of[*member] = number);
        }
        let insides: Vec<Inside> = groups
            .iter()
            .map(|group| Inside::new(&group.members, &links, sizes))
            .collect();
        let boxes = rows(report, &groups, &group_of).into_iter().zip(&insides);
        let items: Vec<Item> = boxes
            .map(|(row, &Inside { width, height, .. })| Item { row, width, height })
            .collect();
        // One arrow from a node to all of a step that reads it: it parts inside.
        let outside: BTreeSet<(usize, usize)> = links
            .iter()
            .map(|link| (link.from, group_of[link.to]))
            .filter(|(from, to)| group_of[*from] != *to)
            .collect();
        let ends: Vec<(usize, usize)> = outside.iter().map(|(from, to)| (group_of[*from], *to)).collect();
        let layout = layered(&items, &ends, GAP);
        let placed = Placed {
            insides: &insides,
            group_of: &group_of,
            layout: &layout,
            routes: outside.into_iter().zip(&layout.routes).collect(),
        };
        Scene {
            boxes: (0..report.nodes.len()).map(|node| placed.node(node)).collect(),
            frames: placed.frames(&groups),
            arrows: placed.arrows(links, sizes),
            width: layout.width,
            height: layout.height,
        }
    }
}

/// Groups that have a place.
struct Placed<'l> {
    insides: &'l [Inside],
    group_of: &'l [usize],
    layout: &'l Layout,
    routes: BTreeMap<(usize, usize), &'l Vec<Station>>,
}

impl Placed<'_> {
    /// How far a group is from the corner of the picture.
    fn corner(&self, group: usize) -> (f64, f64) {
        let place = self.layout.places[group];
        (place.x - self.insides[group].width / 2.0, place.top)
    }

    fn node(&self, node: usize) -> Station {
        let group = self.group_of[node];
        let (left, top) = self.corner(group);
        self.insides[group].node(node).shifted(left, top)
    }

    fn way(&self, Link { from, to, .. }: Link) -> Vec<Station> {
        let (first, last) = (self.group_of[from], self.group_of[to]);
        let moved = |way: Vec<Station>, group| {
            let (left, top) = self.corner(group);
            way.into_iter().map(move |station| station.shifted(left, top))
        };
        if first == last {
            return moved(self.insides[first].between(from, to), first).collect();
        }
        let mut way: Vec<Station> = moved(self.insides[first].out(from), first).collect();
        let begin = way.last().map_or(0.0, |door| door.x);
        let route = self.routes.get(&(from, last)).map_or(&[][..], |route| route);
        // The way down beside the group begins where the arrow leaves it, not in the middle.
        let down = route.iter().take(1).map(|down| Station { x: begin, ..*down });
        way.extend(down.chain(route.iter().skip(1).copied()));
        way.extend(moved(self.insides[last].enter(from, to), last));
        way
    }

    fn arrows(&self, links: Vec<Link>, sizes: &[(f64, f64)]) -> Vec<Arrow> {
        let arrow = |link| Arrow {
            way: self.way(link),
            link,
        };
        let mut arrows: Vec<Arrow> = links.into_iter().map(arrow).collect();
        part_points(&mut arrows, sizes);
        arrows
    }

    fn frames(&self, groups: &[Group]) -> Vec<Frame> {
        let framed = groups.iter().zip(self.insides).enumerate();
        framed
            .filter(|(_, (_, inside))| inside.framed)
            .filter_map(|(number, (group, inside))| {
                let (left, top) = self.corner(number);
                Some(Frame {
                    step: group.step?,
                    left,
                    top,
                    width: inside.width,
                    height: inside.height,
                })
            })
            .collect()
    }
}

/// What joins the nodes, from what is above to what is below.
fn links(report: &Report) -> Vec<Link> {
    let mut links = BTreeSet::new();
    for (to, node) in report.nodes.iter().enumerate() {
        let same = node.same_as.map(|from| (from, None));
        let reads = node.reads.iter().map(|read| (read.node, Some(read.sight)));
        let joined: Vec<_> = same.map_or_else(|| reads.collect(), |same| vec![same]);
        links.extend(joined.into_iter().map(|(from, sight)| Link { from, to, sight }));
    }
    links.into_iter().collect()
}

fn groups(report: &Report) -> Vec<Group> {
    let steps = report.steps.iter().enumerate().map(|(number, step)| Group {
        members: step.members.clone(),
        step: Some(number),
    });
    let alone = (0..report.nodes.len()).filter(|node| report.nodes[*node].step.is_none());
    let alone = alone.map(|node| Group {
        members: vec![node],
        step: None,
    });
    steps.chain(alone).collect()
}

/// The row of each group: steps below what they wait for, what is given just above the first that reads it, and what does not run below
/// what it would read.
fn rows(report: &Report, groups: &[Group], group_of: &[usize]) -> Vec<usize> {
    let mut rows = vec![0; groups.len()];
    let steps = report.steps.len();
    let given = |node: usize| !report.nodes[node].kind.computes();
    for number in 0..steps {
        let reads = groups[number]
            .members
            .iter()
            .flat_map(|member| &report.nodes[*member].reads);
        let before = reads.filter_map(|read| match given(read.node) {
            false => Some(group_of[read.node]),
            true if read.sight.writes() => None,
            true => report.writer(read.node).map(|writer| group_of[writer]),
        });
        let above = before.filter(|before| *before != number).map(|before| rows[before]);
        rows[number] = above.max().unwrap_or(0) + 1;
    }
    for number in steps..groups.len() {
        let node = groups[number].members[0];
        let of = &report.nodes[node];
        rows[number] = if given(node) {
            let reads = |number: &usize| report.nodes[*number].reads.iter().any(|read| read.node == node);
            let readers =
                (0..report.nodes.len()).filter(|reader| report.nodes[*reader].step.is_some() && reads(reader));
            readers.map(|reader| rows[group_of[reader]] - 1).min().unwrap_or(0)
        } else {
            let above = of.same_as.into_iter().chain(of.reads.iter().map(|read| read.node));
            above.map(|above| rows[group_of[above]] + 1).max().unwrap_or(0)
        };
    }
    let first = rows.iter().min().copied().unwrap_or(0);
    rows.iter().map(|row| row - first).collect()
}

/// Lets several arrows at one box begin and end side by side, in the order in which they go and come.
fn part_points(arrows: &mut [Arrow], sizes: &[(f64, f64)]) {
    for (node, (width, _)) in sizes.iter().enumerate() {
        let mut ends: Vec<(f64, usize)> = Vec::new();
        let mut begins: Vec<(f64, usize)> = Vec::new();
        for (number, Arrow { link, way }) in arrows.iter().enumerate() {
            if link.to == node {
                ends.extend(way.iter().rev().nth(1).map(|before| (before.x, number)));
            }
            if link.from == node {
                begins.extend(way.get(2).map(|after| (after.x, number)));
            }
        }
        for (shift, arrow) in side_by_side(ends, *width) {
            if let Some(end) = arrows[arrow].way.last_mut() {
                end.x += shift;
            }
        }
        // The box and the way down beside it.
        for (shift, arrow) in side_by_side(begins, *width) {
            arrows[arrow].way.iter_mut().take(2).for_each(|begin| begin.x += shift);
        }
    }
}

/// How far each of several points is from the middle of an edge. What leads to one place has one point.
fn side_by_side(mut towards: Vec<(f64, usize)>, width: f64) -> Vec<(f64, usize)> {
    towards.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut places = Vec::with_capacity(towards.len());
    let mut count = 0;
    for (number, (x, arrow)) in towards.iter().enumerate() {
        count += usize::from(number > 0 && towards[number - 1].0 < *x);
        places.push((count, *arrow));
    }
    let apart = POINTS.min(width / (count + 2) as f64);
    let shift = |place: usize| apart * (place as f64 - count as f64 / 2.0);
    places.into_iter().map(|(place, arrow)| (shift(place), arrow)).collect()
}
