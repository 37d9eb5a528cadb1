//! A quad tree in an array: points with what belongs to them, found by rectangle and by distance.

use std::cmp::Ordering;
use std::ops::{Add, Index, IndexMut, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Point<T> {
    pub x: T,
    pub y: T,
}

#[routine]
impl<T: Add<Output = T>> Add for Point<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Point {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[routine]
impl<T: Sub<Output = T>> Sub for Point<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Point {
            x: self.x - other.x,
            y: self.y - other.y,
        }
    }
}

/// What has a place.
#[routine]
pub trait Located {
    fn place(&self) -> Point<i32>;

    fn distance_squared(&self, from: Point<i32>) -> i64 {
        let Point { x, y } = self.place() - from;
        i64::from(x).pow(2) + i64::from(y).pow(2)
    }
}

/// A square: its lower corner, and the length of its sides.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    x: i32,
    y: i32,
    side: i32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quadrant {
    SouthWest,
    SouthEast,
    NorthWest,
    NorthEast,
}

#[routine]
impl Area {
    fn quadrant_of(&self, Point { x, y }: Point<i32>) -> Quadrant {
        let half = self.side / 2;
        match (x < self.x + half, y < self.y + half) {
            (true, true) => Quadrant::SouthWest,
            (false, true) => Quadrant::SouthEast,
            (true, false) => Quadrant::NorthWest,
            (false, false) => Quadrant::NorthEast,
        }
    }

    fn part(self, quadrant: Quadrant) -> Self {
        let side = self.side / 2;
        let (east, north) = (quadrant as i32 & 1, quadrant as i32 >> 1);
        Area {
            x: self.x + east * side,
            y: self.y + north * side,
            side,
        }
    }

    fn contains(&self, Point { x, y }: Point<i32>) -> bool {
        let range = |from: i32| from..from + self.side;
        range(self.x).contains(&x) && range(self.y).contains(&y)
    }

    /// How far its next point is, squared.
    fn distance_squared(&self, to: Point<i32>) -> i64 {
        let gap = |low: i32, at: i32| i64::from((low - at).max(at - (low + self.side - 1)).max(0));
        gap(self.x, to.x).pow(2) + gap(self.y, to.y).pow(2)
    }

    fn meets(&self, low: Point<i32>, high: Point<i32>) -> bool {
        low.x < self.x + self.side && low.y < self.y + self.side && high.x >= self.x && high.y >= self.y
    }
}

/// Which node of the tree.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Id(u16);

#[derive(VmType, Clone, Copy, Debug, Default)]
pub enum Node<T> {
    #[default]
    Empty,
    Leaf(T),
    Inner([Id; 4]),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeError {
    Outside,
    Full,
    TooDeep(u32),
}

/// A tree of at most `N` nodes.
#[derive(VmType, Clone, Copy)]
pub struct QuadTree<T, const N: usize> {
    nodes: [Node<T>; N],
    used: usize,
    area: Area,
}

#[routine]
impl<T, const N: usize> Index<Id> for QuadTree<T, N> {
    type Output = Node<T>;
    fn index(&self, Id(id): Id) -> &Node<T> {
        &self.nodes[usize::from(id)]
    }
}

#[routine]
impl<T, const N: usize> IndexMut<Id> for QuadTree<T, N> {
    fn index_mut(&mut self, Id(id): Id) -> &mut Node<T> {
        &mut self.nodes[usize::from(id)]
    }
}

/// One that was found, and how far it is.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Found<T> {
    distance: i64,
    pub value: T,
}

#[routine]
impl<T: PartialEq> PartialOrd for Found<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.distance.partial_cmp(&other.distance)
    }
}

#[routine]
impl<T: Located + Copy + PartialEq, const N: usize> QuadTree<T, N> {
    pub fn new(side: i32) -> Self {
        QuadTree {
            nodes: [Node::Empty; N],
            used: 1,
            area: Area { x: 0, y: 0, side },
        }
    }

    fn split(&mut self) -> Result<[Id; 4], TreeError> {
        if self.used + 4 > N {
            return Err(TreeError::Full);
        }
        let first = self.used as u16;
        self.used += 4;
        Ok([0, 1, 2, 3].map(|i| Id(first + i)))
    }

    pub fn insert(&mut self, value: T) -> Result<u32, TreeError> {
        if !self.area.contains(value.place()) {
            return Err(TreeError::Outside);
        }
        let (mut at, mut area) = (Id::default(), self.area);
        for depth in 0.. {
            match self[at] {
                Node::Empty => {
                    self[at] = Node::Leaf(value);
                    return Ok(depth);
                }
                Node::Inner(parts) => {
                    let quadrant = area.quadrant_of(value.place());
                    (at, area) = (parts[quadrant as usize], area.part(quadrant));
                }
                Node::Leaf(_) if area.side <= 1 => return Err(TreeError::TooDeep(depth)),
                Node::Leaf(other) => {
                    let parts = self.split()?;
                    self[at] = Node::Inner(parts);
                    self[parts[area.quadrant_of(other.place()) as usize]] = Node::Leaf(other);
                }
            }
        }
        unreachable!("a tree has an end")
    }

    /// Shows all that are between two corners.
    pub fn each_in<F>(&self, low: Point<i32>, high: Point<i32>, see: &mut F)
    where
        F: FnMut(&T),
    {
        self.search(Id::default(), self.area, low, high, see);
    }

    fn search<F: FnMut(&T)>(&self, at: Id, area: Area, low: Point<i32>, high: Point<i32>, see: &mut F) {
        if !area.meets(low, high) {
            return;
        }
        match &self[at] {
            Node::Empty => {}
            Node::Leaf(value) => {
                let Point { x, y } = value.place();
                if (low.x..=high.x).contains(&x) && (low.y..=high.y).contains(&y) {
                    see(value);
                }
            }
            Node::Inner(parts) => {
                use Quadrant::*;
                for (part, quadrant) in parts.iter().zip([SouthWest, SouthEast, NorthWest, NorthEast]) {
                    self.search(*part, area.part(quadrant), low, high, see);
                }
            }
        }
    }

    /// The next one, by what is left to look at.
    pub fn nearest(&self, to: Point<i32>) -> Option<Found<T>> {
        let mut open = [None; 48];
        open[0] = Some((Id::default(), self.area));
        let mut count = 1;
        let mut best: Option<Found<T>> = None;
        while let Some((at, area)) = open[..count].last().copied().flatten() {
            count -= 1;
            if best.is_some_and(|best| area.distance_squared(to) >= best.distance) {
                continue;
            }
            match self[at] {
                Node::Empty => {}
                Node::Leaf(value) => {
                    let found = Found {
                        distance: value.distance_squared(to),
                        value,
                    };
                    best = match best {
                        Some(best) if best <= found => Some(best),
                        _ => Some(found),
                    };
                }
                Node::Inner(parts) => {
                    let mut next = [
                        Quadrant::SouthWest,
                        Quadrant::SouthEast,
                        Quadrant::NorthWest,
                        Quadrant::NorthEast,
                    ];
                    next.sort_by_key(|&quadrant| std::cmp::Reverse(area.part(quadrant).distance_squared(to)));
                    for quadrant in next {
                        open[count] = Some((parts[quadrant as usize], area.part(quadrant)));
                        count += 1;
                    }
                }
            }
        }
        best
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct City {
    at: Point<i32>,
    people: u32,
}

#[routine]
impl Located for City {
    fn place(&self) -> Point<i32> {
        self.at
    }
}

#[routine]
impl Located for Point<i32> {
    fn place(&self) -> Point<i32> {
        *self
    }
}

#[routine]
fn cities(bytes: &[u8]) -> Result<QuadTree<City, 64>, TreeError> {
    let mut tree = QuadTree::new(128);
    for (i, &[x, y]) in bytes.as_chunks().0.iter().enumerate() {
        let at = Point {
            x: i32::from(x),
            y: i32::from(y),
        };
        tree.insert(City {
            at,
            people: 100 * (i as u32 + 1),
        })?;
    }
    Ok(tree)
}

/// How many live in a rectangle, and which city is next to its middle.
#[routine]
pub fn people_in(bytes: &[u8], low: [i32; 2], high: [i32; 2]) -> Result<(u32, u32, Option<City>), TreeError> {
    let tree = cities(bytes)?;
    let [low, high] = [low, high].map(|[x, y]| Point { x, y });
    let (mut count, mut people) = (0, 0);
    tree.each_in(low, high, &mut |city: &City| {
        count += 1;
        people += city.people;
    });
    let Point { x, y } = low + high;
    let nearest = tree.nearest(Point { x: x / 2, y: y / 2 });
    Ok((count, people, nearest.map(|found| found.value)))
}

/// How deep points get that a generator makes.
#[routine]
pub fn deepest(seed: u32, count: u32) -> Result<(u32, Option<i64>), TreeError> {
    let mut tree = QuadTree::<Point<i32>, 256>::new(1 << 12);
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 20) as i32
    };
    let deepest = (0..count).try_fold(0, |deepest, _| {
        let point = Point { x: next(), y: next() };
        tree.insert(point).map(|depth| depth.max(deepest))
    })?;
    let middle = Point { x: 2048, y: 2048 };
    Ok((deepest, tree.nearest(middle).map(|found| found.distance)))
}

pub fn known() {
    let bytes = [10, 10, 20, 20, 100, 100, 12, 12, 64, 3];
    let (count, people, next) = people_in(&bytes, [0, 0], [30, 30]).unwrap();
    assert_eq!((count, people), (3, 100 + 200 + 400));
    assert_eq!(next.unwrap().people, 400);
    assert_eq!(people_in(&[200, 1], [0, 0], [1, 1]), Err(TreeError::Outside));
    assert_eq!(people_in(&[], [0, 0], [1, 1]), Ok((0, 0, None)));
    assert!(matches!(
        people_in(&[7, 7, 7, 7], [0, 0], [1, 1]),
        Err(TreeError::TooDeep(14))
    ));
    let (depth, nearest) = deepest(1, 30).unwrap();
    assert!((2..=20).contains(&depth) && nearest.unwrap() < 1_000_000);
    assert_eq!(deepest(1, 0), Ok((0, None)));
    assert_eq!(deepest(7, 3000), Err(TreeError::Full));
}
