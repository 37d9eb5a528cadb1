//! The minimum spanning tree: union-find with ranks and path halving, Kruskal over sorted edges, Prim to compare.

use gpuvm::prelude::*;

const NODES: usize = 16;
const EDGES: usize = 48;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub weight: u32,
    pub from: u8,
    pub to: u8,
}

#[derive(VmType, Clone, Copy)]
struct UnionFind<const N: usize> {
    parent: [usize; N],
    rank: [u8; N],
    sets: usize,
}

#[routine]
impl<const N: usize> UnionFind<N> {
    fn new() -> Self {
        Self {
            parent: core::array::from_fn(|i| i),
            rank: [0; N],
            sets: N,
        }
    }

    fn find(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    /// Joins the sets of both; whether they were apart.
    fn union(&mut self, a: usize, b: usize) -> bool {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        if self.rank[a] < self.rank[b] {
            core::mem::swap(&mut a, &mut b);
        }
        self.parent[b] = a;
        self.rank[a] += u8::from(self.rank[a] == self.rank[b]);
        self.sets -= 1;
        true
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanningTree {
    pub weight: u64,
    pub edges: u32,
    /// The heaviest edge that the tree needs.
    pub bottleneck: u32,
    /// How many trees there are: more than one where the graph is not connected.
    pub trees: u32,
}

#[routine]
pub fn kruskal(edges: &[Edge], nodes: u32) -> SpanningTree {
    let mut sorted = [Edge::default(); EDGES];
    let count = edges.len().min(EDGES);
    let sorted = &mut sorted[..count];
    sorted.copy_from_slice(&edges[..count]);
    sorted.sort_unstable();

    let nodes = (nodes as usize).min(NODES);
    let mut sets = UnionFind::<NODES>::new();
    let mut tree = SpanningTree {
        weight: 0,
        edges: 0,
        bottleneck: 0,
        trees: 0,
    };
    for &Edge { weight, from, to } in sorted.iter() {
        let (from, to) = (usize::from(from), usize::from(to));
        if from.max(to) < nodes && sets.union(from, to) {
            tree.weight += u64::from(weight);
            tree.edges += 1;
            tree.bottleneck = weight;
        }
    }
    tree.trees = (sets.sets - (NODES - nodes)) as u32;
    tree
}

/// The weight of the tree that node 0 is in, by Prim's method over a matrix of weights.
#[routine]
pub fn prim(edges: &[Edge]) -> u64 {
    let mut weights = [[None::<u32>; NODES]; NODES];
    for edge in edges {
        let (from, to) = (edge.from as usize, edge.to as usize);
        if from >= NODES || to >= NODES {
            continue;
        }
        for (a, b) in [(from, to), (to, from)] {
            let slot = &mut weights[a][b];
            *slot = Some(slot.map_or(edge.weight, |old| old.min(edge.weight)));
        }
    }
    let mut distance = [None; NODES];
    let mut done = [false; NODES];
    distance[0] = Some(0);
    let mut total = 0;
    let nearest = |distance: &[Option<u32>; NODES], done: &[bool; NODES]| {
        (0..NODES)
            .filter(|&n| !done[n])
            .filter_map(|n| Some((distance[n]?, n)))
            .min()
    };
    while let Some((weight, node)) = nearest(&distance, &done) {
        done[node] = true;
        total += u64::from(weight);
        for (other, weight) in weights[node].iter().enumerate() {
            if let Some(weight) = *weight
                && distance[other].is_none_or(|old| weight < old)
            {
                distance[other] = Some(weight);
            }
        }
    }
    total
}

#[cfg(test)]
mod known {
    use super::*;

    fn graph() -> [Edge; 11] {
        [
            (7, 0, 1),
            (5, 0, 3),
            (8, 1, 2),
            (9, 1, 3),
            (7, 1, 4),
            (5, 2, 4),
            (15, 3, 4),
            (6, 3, 5),
            (8, 4, 5),
            (9, 4, 6),
            (11, 5, 6),
        ]
        .map(|(weight, from, to)| Edge { weight, from, to })
    }

    #[test]
    fn trees() {
        let tree = SpanningTree {
            weight: 39,
            edges: 6,
            bottleneck: 9,
            trees: 1,
        };
        assert_eq!(kruskal(&graph(), 7), tree);
        assert_eq!(prim(&graph()), 39);
        assert_eq!(kruskal(&graph(), 9).trees, 3);
        assert_eq!(
            kruskal(&[], 4),
            SpanningTree {
                weight: 0,
                edges: 0,
                bottleneck: 0,
                trees: 4
            }
        );
    }
}
