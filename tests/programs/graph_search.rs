//! Shortest ways in any graph: a trait of graphs with nodes of its own type, which borrows, and one that is implemented for all of them.

use gpuvm::prelude::*;

#[routine]
trait Graph {
    type Node: Copy + PartialEq;
    fn count(&self) -> usize;
    fn index(&self, n: Self::Node) -> usize;
    fn neighbours(&self, n: Self::Node, f: impl FnMut(Self::Node, u32));
    fn node(&self, i: usize) -> Self::Node;
}
#[derive(VmType, Clone, Copy)]
struct Grid<'a> {
    cells: &'a [u8],
    width: u32,
}
#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct At {
    x: u32,
    y: u32,
}
#[routine]
impl<'a> Graph for Grid<'a> {
    type Node = At;
    fn count(&self) -> usize {
        self.cells.len()
    }
    fn index(&self, n: At) -> usize {
        (n.y * self.width + n.x) as usize
    }
    fn node(&self, i: usize) -> At {
        At {
            x: i as u32 % self.width,
            y: i as u32 / self.width,
        }
    }
    fn neighbours(&self, n: At, mut f: impl FnMut(At, u32)) {
        let h = self.cells.len() as u32 / self.width;
        for (dx, dy) in [(1i32, 0i32), (0, 1), (-1, 0), (0, -1)] {
            let (x, y) = (n.x.wrapping_add_signed(dx), n.y.wrapping_add_signed(dy));
            if x < self.width && y < h {
                let to = At { x, y };
                let cost = self.cells[self.index(to)];
                if cost > 0 {
                    f(to, cost as u32)
                }
            }
        }
    }
}
#[derive(VmType, Clone, Copy)]
struct Dists<const N: usize> {
    d: [u32; N],
    done: [bool; N],
}
#[routine]
trait Search: Graph {
    fn dijkstra<const N: usize>(&self, from: Self::Node) -> Dists<N> {
        let mut s = Dists {
            d: [u32::MAX; N],
            done: [false; N],
        };
        s.d[self.index(from)] = 0;
        loop {
            let next = (0..self.count())
                .filter(|&i| !s.done[i] && s.d[i] < u32::MAX)
                .min_by(|&a, &b| s.d[a].cmp(&s.d[b]).then(b.cmp(&a)));
            let Some(i) = next else { break s };
            s.done[i] = true;
            let base = s.d[i];
            self.neighbours(self.node(i), |to, cost| {
                let j = self.index(to);
                s.d[j] = s.d[j].min(base + cost);
            });
        }
    }
    fn reaches(&self, from: Self::Node, to: Self::Node) -> bool {
        self.dijkstra::<12>(from).done[self.index(to)]
    }
}
#[routine]
impl<G: Graph> Search for G {}
#[derive(VmType, Clone, Copy)]
struct Reversed<G> {
    inner: G,
}
#[routine]
impl<G: Graph> Graph for Reversed<G> {
    type Node = G::Node;
    fn count(&self) -> usize {
        self.inner.count()
    }
    fn index(&self, n: G::Node) -> usize {
        self.inner.count() - 1 - self.inner.index(n)
    }
    fn node(&self, i: usize) -> G::Node {
        self.inner.node(self.inner.count() - 1 - i)
    }
    fn neighbours(&self, n: G::Node, f: impl FnMut(G::Node, u32)) {
        self.inner.neighbours(n, f)
    }
}
#[routine]
fn farthest<G: Graph>(g: &G, from: G::Node) -> Option<(usize, u32)> {
    let s = g.dijkstra::<12>(from);
    s.d.iter()
        .copied()
        .enumerate()
        .filter(|(_, d)| *d < u32::MAX)
        .max_by_key(|(_, d)| *d)
}
#[routine]
pub fn farthest_cells(a: u32) -> (Option<(usize, u32)>, Option<(usize, u32)>, bool) {
    let mut cells = [1u8; 12];
    for (i, c) in cells.iter_mut().enumerate() {
        *c = ((a >> i) % 4) as u8;
    }
    let g = Grid {
        cells: &cells,
        width: 4,
    };
    let from = At { x: a % 4, y: 1 };
    (
        farthest(&g, from),
        farthest(&Reversed { inner: g }, from),
        g.reaches(from, At { x: 0, y: 0 }),
    )
}

pub fn known() {
    let grid = Grid {
        cells: &[1, 1, 1, 1, 9, 9, 0, 1, 1, 1, 1, 1],
        width: 4,
    };
    let from = At { x: 0, y: 0 };
    let found = grid.dijkstra::<12>(from);
    assert_eq!(found.d, [0, 1, 2, 3, 9, 10, u32::MAX, 4, 8, 7, 6, 5]);
    assert!(grid.reaches(from, At { x: 3, y: 2 }) && !grid.reaches(from, At { x: 2, y: 1 }));
    assert_eq!(farthest(&grid, from), Some((5, 10)));
}
