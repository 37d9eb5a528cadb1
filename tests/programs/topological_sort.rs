//! Directed graphs: Kahn's order, the critical path of tasks, and Tarjan's strongly connected components.

use gpuvm::prelude::*;

const NODES: usize = 32;

/// Up to 32 nodes; the i-th word has a bit for each node that i points to.
#[derive(VmType, Clone, Copy)]
struct Graph {
    targets: [u32; NODES],
    len: usize,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum GraphError {
    UnknownNode(u8),
    Cycle,
}

#[routine]
impl Graph {
    fn from_edges(edges: &[[u8; 2]], len: usize) -> Result<Self, GraphError> {
        let mut targets = [0; NODES];
        for &[from, to] in edges {
            for node in [from, to] {
                if usize::from(node) >= len.min(NODES) {
                    return Err(GraphError::UnknownNode(node));
                }
            }
            targets[from as usize] |= 1 << to;
        }
        Ok(Self { targets, len })
    }

    fn successors(&self, node: usize) -> impl Iterator<Item = usize> + use<> {
        let targets = self.targets[node];
        (0..NODES).filter(move |to| targets >> to & 1 == 1)
    }

    /// The nodes so that each comes before those it points to, the lowest possible first.
    fn order(&self) -> Result<[u8; NODES], GraphError> {
        let mut incoming = [0u32; NODES];
        for to in (0..self.len).flat_map(|node| self.successors(node)) {
            incoming[to] += 1;
        }
        let mut order = [u8::MAX; NODES];
        let mut done = 0u32;
        for slot in &mut order[..self.len] {
            let node = (0..self.len)
                .find(|&n| incoming[n] == 0 && done >> n & 1 == 0)
                .ok_or(GraphError::Cycle)?;
            done |= 1 << node;
            self.successors(node).for_each(|to| incoming[to] -= 1);
            *slot = node as u8;
        }
        Ok(order)
    }

    fn critical_path(&self, durations: &[u32]) -> Result<u32, GraphError> {
        let order = self.order()?;
        let mut ends = [0; NODES];
        for &node in order.iter().take(self.len) {
            let node = usize::from(node);
            ends[node] += durations.get(node).copied().unwrap_or(1);
            for to in self.successors(node) {
                ends[to] = ends[to].max(ends[node]);
            }
        }
        Ok(ends.into_iter().max().unwrap_or_default())
    }
}

/// An order of the nodes, then 255; 254 in front where there is a cycle, 253 where an edge has an unknown node.
#[routine]
pub fn topological_order(edges: &[[u8; 2]], nodes: u32) -> [u8; 32] {
    let order = Graph::from_edges(edges, nodes as usize).and_then(|graph| graph.order());
    match order {
        Ok(order) => order,
        Err(error) => {
            let mut none = [u8::MAX; 32];
            none[0] = if matches!(error, GraphError::Cycle) { 254 } else { 253 };
            none
        }
    }
}

/// When the last task ends, each of which starts once those that point to it are done; 0 where that is never.
#[routine]
pub fn critical_path(edges: &[[u8; 2]], durations: &[u32]) -> u32 {
    let end = || -> Result<u32, GraphError> {
        let graph = Graph::from_edges(edges, durations.len())?;
        graph.critical_path(durations)
    };
    end().unwrap_or(0)
}

/// Tarjan's algorithm: recursive, its state in one struct.
#[derive(VmType, Clone, Copy)]
struct Tarjan {
    graph: Graph,
    next_index: u32,
    index: [Option<u32>; NODES],
    low: [u32; NODES],
    stack: [u8; NODES],
    depth: usize,
    on_stack: u32,
    component: [u8; NODES],
    components: u8,
}

#[routine]
impl Tarjan {
    fn new(graph: Graph) -> Self {
        Self {
            graph,
            next_index: 0,
            index: [None; NODES],
            low: [0; NODES],
            stack: [0; NODES],
            depth: 0,
            on_stack: 0,
            component: [0; NODES],
            components: 0,
        }
    }

    fn visit(&mut self, node: usize) -> u32 {
        let index = self.next_index;
        self.next_index += 1;
        self.index[node] = Some(index);
        self.low[node] = index;
        self.stack[self.depth] = node as u8;
        self.depth += 1;
        self.on_stack |= 1 << node;

        for to in self.graph.successors(node) {
            let reached = match self.index[to] {
                None => self.visit(to),
                Some(index) if self.on_stack >> to & 1 == 1 => index,
                Some(_) => continue,
            };
            self.low[node] = self.low[node].min(reached);
        }

        if self.low[node] == index {
            loop {
                self.depth -= 1;
                let member = usize::from(self.stack[self.depth]);
                self.on_stack &= !(1 << member);
                self.component[member] = self.components;
                if member == node {
                    break;
                }
            }
            self.components += 1;
        }
        self.low[node]
    }
}

/// How many strongly connected components there are, and how many nodes the largest has.
#[routine]
pub fn strong_components(edges: &[[u8; 2]], nodes: u32) -> [u32; 2] {
    let Ok(graph) = Graph::from_edges(edges, nodes as usize) else {
        return [0, 0];
    };
    let mut tarjan = Tarjan::new(graph);
    for node in 0..graph.len {
        if tarjan.index[node].is_none() {
            tarjan.visit(node);
        }
    }
    let members = |c: u8| tarjan.component[..graph.len].iter().filter(|&&of| of == c).count() as u32;
    [
        u32::from(tarjan.components),
        (0..tarjan.components).map(members).max().unwrap_or(0),
    ]
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn orders() {
        let edges = [[5, 2], [5, 0], [4, 0], [4, 1], [2, 3], [3, 1]];
        assert_eq!(topological_order(&edges, 6)[..7], [4, 5, 0, 2, 3, 1, 255]);
        assert_eq!(topological_order(&[[0, 1], [1, 0]], 2)[0], 254);
        assert_eq!(topological_order(&edges, 5)[0], 253);
        assert_eq!(critical_path(&edges, &[3, 1, 4, 1, 5, 9]), 9 + 4 + 1 + 1);
        assert_eq!(critical_path(&[[0, 0]], &[3]), 0);
    }

    #[test]
    fn components() {
        let edges = [
            [0, 1],
            [1, 2],
            [2, 0],
            [2, 3],
            [3, 4],
            [4, 5],
            [5, 3],
            [6, 5],
            [6, 7],
            [7, 6],
        ];
        assert_eq!(strong_components(&edges, 8), [3, 3]);
        assert_eq!(strong_components(&[], 4), [4, 1]);
    }
}
