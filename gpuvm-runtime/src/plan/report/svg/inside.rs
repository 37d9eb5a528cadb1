//! The inside of what is placed as one box: the nodes of a step, or a node that is no step's.

use std::collections::{BTreeMap, BTreeSet};

use super::layered::{Gap, Item, Layout, Station, layered};
use super::scene::Link;

/// Nodes that are laid out by themselves, so that a frame runs over nothing that does not belong to it.
pub(super) struct Inside {
    pub width: f64,
    pub height: f64,
    /// Whether there is a frame, because there are several nodes.
    pub framed: bool,
    layout: Layout,
    /// What is placed, ascending.
    spots: Vec<Spot>,
    /// Arrows, ascending.
    ways: Vec<(Spot, Spot)>,
}

/// Where an arrow begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    /// At a node.
    Node(usize),
    /// Where what comes from this node outside crosses the frame.
    Entry(usize),
    /// Where what this node gives crosses the frame.
    Exit(usize),
}

/// Between what is in a frame, and above and below it.
const GAP: Gap = Gap {
    across: 20.0,
    down: 26.0,
};
/// Between a frame and what is in it, at its sides.
const PADDING: f64 = 14.0;
/// Room for an arrow where it crosses a frame.
const DOOR: f64 = 12.0;

impl Inside {
    /// Lays out nodes, each of which comes after those that it reads.
    pub fn new(members: &[usize], links: &[Link], sizes: &[(f64, f64)]) -> Inside {
        let framed = members.len() > 1;
        let ways = if framed { ways(members, links) } else { Vec::new() };
        let rows = rows(members, &ways);
        let last = rows.values().max().map_or(0, |row| row + 1);
        let ends = ways.iter().flat_map(|(from, to)| [*from, *to]);
        let spots: BTreeSet<Spot> = members.iter().map(|node| Spot::Node(*node)).chain(ends).collect();
        let spots: Vec<Spot> = spots.into_iter().collect();
        let item = |spot: &Spot| {
            let (row, (width, height)) = match spot {
                Spot::Node(node) => (rows[node], sizes[*node]),
                Spot::Entry(_) => (0, (DOOR, 0.0)),
                Spot::Exit(_) => (last, (DOOR, 0.0)),
            };
            Item { row, width, height }
        };
        let items: Vec<Item> = spots.iter().map(item).collect();
        let arrows: Vec<(usize, usize)> = ways
            .iter()
            .map(|(from, to)| (at(&spots, from), at(&spots, to)))
            .collect();
        let layout = layered(&items, &arrows, GAP);
        // Where nothing leaves the frame there is no row of doors that keeps it away.
        let has_exits = spots.iter().any(|spot| matches!(spot, Spot::Exit(_)));
        let below = if framed && !has_exits { GAP.down / 2.0 } else { 0.0 };
        Inside {
            width: layout.width + if framed { 2.0 * PADDING } else { 0.0 },
            height: layout.height + below,
            framed,
            layout,
            spots,
            ways,
        }
    }

    /// Where a node is.
    pub fn node(&self, node: usize) -> Station {
        self.place(Spot::Node(node))
    }

    /// The way from one of its nodes to another.
    pub fn between(&self, from: usize, to: usize) -> Vec<Station> {
        self.way(Spot::Node(from), Spot::Node(to))
    }

    /// The way from a node out of the frame.
    pub fn out(&self, from: usize) -> Vec<Station> {
        match self.framed {
            true => self.way(Spot::Node(from), Spot::Exit(from)),
            false => vec![self.node(from)],
        }
    }

    /// The way of what comes from a node outside to one of its own.
    pub fn enter(&self, from: usize, to: usize) -> Vec<Station> {
        match self.framed {
            true => self.way(Spot::Entry(from), Spot::Node(to)),
            false => vec![self.node(to)],
        }
    }

    fn way(&self, from: Spot, to: Spot) -> Vec<Station> {
        let route = &self.layout.routes[at(&self.ways, &(from, to))];
        let passed = route.iter().map(|station| self.shifted(*station));
        [self.place(from)]
            .into_iter()
            .chain(passed)
            .chain([self.place(to)])
            .collect()
    }

    fn place(&self, spot: Spot) -> Station {
        self.shifted(self.layout.places[at(&self.spots, &spot)])
    }

    fn shifted(&self, station: Station) -> Station {
        station.shifted(if self.framed { PADDING } else { 0.0 }, 0.0)
    }
}

/// The arrows among the members of a frame, and between them and the doors to what is outside.
fn ways(members: &[usize], links: &[Link]) -> Vec<(Spot, Spot)> {
    let mut ways = BTreeSet::new();
    for link in links {
        match (members.contains(&link.from), members.contains(&link.to)) {
            (true, true) => ways.insert((Spot::Node(link.from), Spot::Node(link.to))),
            (true, false) => ways.insert((Spot::Node(link.from), Spot::Exit(link.from))),
            (false, true) => ways.insert((Spot::Entry(link.from), Spot::Node(link.to))),
            (false, false) => false,
        };
    }
    ways.into_iter().collect()
}

/// The row of each member, each below those that it reads. The first row is that of the doors, if there are any.
fn rows(members: &[usize], ways: &[(Spot, Spot)]) -> BTreeMap<usize, usize> {
    let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
    let first = usize::from(members.len() > 1);
    for &member in members {
        let above = ways.iter().filter_map(|way| match way {
            (Spot::Node(from), Spot::Node(to)) if *to == member => rows.get(from),
            _ => None,
        });
        let row = above.max().map_or(first, |above| above + 1);
        rows.insert(member, row);
    }
    rows
}

/// The place of something in a sorted list that has it.
fn at<T: Ord>(all: &[T], one: &T) -> usize {
    all.binary_search(one).unwrap_or_default()
}
