//! Cheapest ways over a grid of costs: Dijkstra and A*, with a binary heap over an array.

use core::cmp::Reverse;

use gpuvm::prelude::*;

/// A binary heap with the greatest item on top.
#[derive(VmType, Clone, Copy)]
struct BinaryHeap<T, const N: usize> {
    items: [T; N],
    len: usize,
}

#[routine]
impl<T: Ord + Copy + Default, const N: usize> BinaryHeap<T, N> {
    fn new() -> Self {
        Self {
            items: [T::default(); N],
            len: 0,
        }
    }

    /// Adds `item`; an error gives it back where there is no room.
    fn push(&mut self, item: T) -> Result<(), T> {
        let Some(slot) = self.items.get_mut(self.len) else {
            return Err(item);
        };
        *slot = item;
        let mut at = self.len;
        self.len += 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.items[at] <= self.items[parent] {
                break;
            }
            self.items.swap(at, parent);
            at = parent;
        }
        Ok(())
    }

    fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        self.items.swap(0, self.len);
        let heap = &mut self.items[..=self.len];
        let (top, heap) = heap.split_last_mut()?;
        let mut at = 0;
        while let Some(child) = (2 * at + 1..heap.len().min(2 * at + 3)).max_by_key(|&child| heap[child]) {
            if heap[at] >= heap[child] {
                break;
            }
            heap.swap(at, child);
            at = child;
        }
        Some(*top)
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    pub x: u8,
    pub y: u8,
}

#[routine]
impl Point {
    fn manhattan(self, other: Self) -> u32 {
        u32::from(self.x.abs_diff(other.x)) + u32::from(self.y.abs_diff(other.y))
    }
}

const SIDE: usize = 16;

/// What it costs to enter each cell; `b'#'` cannot be entered, a digit costs its value plus one.
#[derive(VmType, Clone, Copy)]
struct Grid<'a> {
    cells: &'a [u8],
}

#[routine]
impl Grid<'_> {
    fn cost(&self, point: Point) -> Option<u32> {
        if usize::from(point.x) >= SIDE {
            return None;
        }
        match self.cells.get(usize::from(point.y) * SIDE + usize::from(point.x))? {
            b'#' => None,
            digit @ b'0'..=b'9' => Some(u32::from(digit - b'0') + 1),
            _ => Some(1),
        }
    }

    fn neighbours(&self, Point { x, y }: Point) -> impl Iterator<Item = (Point, u32)> {
        const STEPS: [(i8, i8); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];
        STEPS.into_iter().filter_map(move |(dx, dy)| {
            let point = Point {
                x: x.checked_add_signed(dx)?,
                y: y.checked_add_signed(dy)?,
            };
            Some((point, self.cost(point)?))
        })
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// `u32::MAX` where there is no way.
    pub cost: u32,
    pub expanded: u32,
}

#[routine]
fn search(grid: Grid<'_>, start: Point, goal: Point, estimate: impl Fn(Point) -> u32) -> Route {
    let mut best = [[u32::MAX; SIDE]; SIDE];
    let mut open = BinaryHeap::<Reverse<(u32, u32, Point)>, 256>::new();
    let mut expanded = 0;
    best[usize::from(start.y)][usize::from(start.x)] = 0;
    let _ = open.push(Reverse((estimate(start), 0, start)));
    while let Some(Reverse((_, cost, at))) = open.pop() {
        if at == goal {
            return Route { cost, expanded };
        }
        if cost > best[usize::from(at.y)][usize::from(at.x)] {
            continue;
        }
        expanded += 1;
        for (next, step) in grid.neighbours(at) {
            let cost = cost + step;
            let known = &mut best[usize::from(next.y)][usize::from(next.x)];
            if cost < *known {
                *known = cost;
                if open.push(Reverse((cost + estimate(next), cost, next))).is_err() {
                    panic!("the heap is full");
                }
            }
        }
    }
    Route {
        cost: u32::MAX,
        expanded,
    }
}

#[routine]
pub fn dijkstra(cells: &[u8], start: Point, goal: Point) -> Route {
    search(Grid { cells }, start, goal, |_| 0)
}

#[routine]
pub fn a_star(cells: &[u8], start: Point, goal: Point) -> Route {
    search(Grid { cells }, start, goal, |point| point.manhattan(goal))
}

#[cfg(test)]
mod known {
    use super::*;

    const MAP: &[u8] = b"\
        .......#........\
        .#####.#.######.\
        .#...#.#.#....#.\
        .#.#.#...#.##.#.\
        .#.#.#####.##.#.\
        .#.#.......##.#.\
        ...##########.#.\
        .###........#.#.\
        .....######.#.9.\
        .###.#....#.#.#.\
        .#...#.##.#.#.#.\
        .#.###.##.#...#.\
        .#.#...##.#####.\
        .#.#.####......#\
        .#...#..######..\
        .#######......#.";

    #[test]
    fn routes() {
        let (start, goal) = (Point { x: 0, y: 0 }, Point { x: 15, y: 12 });
        let plain = dijkstra(MAP, start, goal);
        let guided = a_star(MAP, start, goal);
        assert_eq!(plain.cost, 6 + 3 + 2 + 3 + 7 + 12);
        assert_eq!(guided.cost, plain.cost);
        assert!(guided.expanded <= plain.expanded);
        assert_eq!(dijkstra(MAP, start, Point { x: 14, y: 8 }).cost, 39);
        assert_eq!(a_star(MAP, start, Point { x: 15, y: 15 }).cost, 44);
        assert_eq!(a_star(MAP, start, Point { x: 9, y: 15 }).cost, u32::MAX);
    }

    #[test]
    fn heap() {
        let mut heap = BinaryHeap::<u8, 8>::new();
        for item in [3, 1, 4, 1, 5, 9, 2, 6] {
            assert_eq!(heap.push(item), Ok(()));
        }
        assert_eq!(heap.push(7), Err(7));
        assert_eq!(
            [(); 9].map(|()| heap.pop()),
            [9, 6, 5, 4, 3, 2, 1, 1, 0].map(|n| (n != 0).then_some(n))
        );
    }
}
