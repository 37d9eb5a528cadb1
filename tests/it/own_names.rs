//! Methods of the user's that are named as plain ones of std's and have type parameters of their own.

use gpuvm::prelude::*;

cases! {
    few:
    stacks_pushed, sets_inserted, grids_filled, maps_contained, converted_pushes, visited, replaced_by,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Stack<const N: usize> {
    items: [u32; N],
    len: usize,
}

#[routine]
impl<const N: usize> Stack<N> {
    fn new() -> Self {
        Stack { items: [0; N], len: 0 }
    }

    fn push<T: Into<u32>>(&mut self, item: T) -> bool {
        if self.len == N {
            return false;
        }
        self.items[self.len] = item.into();
        self.len += 1;
        true
    }

    fn extend<I: IntoIterator<Item = u32>>(&mut self, items: I) {
        for item in items {
            self.push(item);
        }
    }

    fn contains<F: Fn(u32) -> bool>(&self, accept: F) -> bool {
        self.items[..self.len].iter().any(|&item| accept(item))
    }

    fn first<T: From<u8> + Default>(&self) -> T {
        if self.len == 0 {
            T::default()
        } else {
            T::from(self.items[0] as u8)
        }
    }
}

#[routine]
fn stacks_pushed(a: u32, b: u16, c: char) -> (Stack<6>, bool, bool, u64, i32) {
    let mut stack = Stack::new();
    stack.push(a);
    stack.push(b);
    let fits = stack.push(c) & stack.push(7u8);
    stack.extend([1, 2, 3]);
    let first: i32 = stack.first();
    (stack, fits, stack.contains(|x| x == 7), stack.first::<u64>(), first)
}

#[routine]
trait Key: Copy {
    fn slot(&self) -> usize;
}

#[routine]
impl Key for u32 {
    fn slot(&self) -> usize {
        (*self % 32) as usize
    }
}

#[routine]
impl Key for (u8, u8) {
    fn slot(&self) -> usize {
        usize::from(self.0 ^ self.1) % 32
    }
}

#[derive(VmType, Clone, Copy, Debug, Default)]
struct Set {
    bits: u32,
}

#[routine]
impl Set {
    fn insert<K: Key>(&mut self, key: K) -> bool {
        let bit = 1 << key.slot();
        let is_new = self.bits & bit == 0;
        self.bits |= bit;
        is_new
    }

    fn contains<K: Key>(&self, key: &K) -> bool {
        self.bits >> key.slot() & 1 == 1
    }

    fn remove<K>(&mut self, key: &K) -> Option<u32>
    where
        K: Key,
    {
        if !self.contains(key) {
            return None;
        }
        self.bits &= !(1 << key.slot());
        Some(self.bits)
    }
}

#[routine]
fn sets_inserted(a: u32, b: u8, c: u8) -> (Set, bool, bool, bool, Option<u32>) {
    let mut set = Set::default();
    let first = set.insert(a);
    let second = set.insert((b, c));
    let has = set.contains(&(c, b));
    (set, first, second, has, set.remove(&a))
}

#[derive(VmType, Clone, Copy, Debug)]
struct Grid<T, const W: usize> {
    cells: [T; W],
}

#[routine]
impl<T: Copy, const W: usize> Grid<T, W> {
    fn fill<V: Into<T> + Copy>(&mut self, value: V) {
        for cell in &mut self.cells {
            *cell = value.into();
        }
    }

    fn swap<const A: usize, const B: usize>(&mut self) {
        self.cells.swap(A, B);
    }

    fn get<I: Into<usize>>(&self, index: I) -> Option<&T> {
        self.cells.get(index.into())
    }

    fn set<I: Into<usize>>(&mut self, index: I, value: T) {
        self.cells[index.into()] = value;
    }

    fn len<M: Measure>(&self) -> u32 {
        M::of(W)
    }
}

#[routine]
trait Measure {
    fn of(n: usize) -> u32;
}

#[derive(VmType, Clone, Copy)]
struct Bits;
#[derive(VmType, Clone, Copy)]
struct Items;

#[routine]
impl Measure for Bits {
    fn of(n: usize) -> u32 {
        n as u32 * 8
    }
}

#[routine]
impl Measure for Items {
    fn of(n: usize) -> u32 {
        n as u32
    }
}

#[routine]
fn grids_filled(a: u8, b: u16) -> (Grid<u32, 4>, Option<u32>, u32, u32) {
    let mut grid = Grid { cells: [1u32; 4] };
    grid.fill(a);
    grid.set(2u8, u32::from(b));
    grid.swap::<0, 2>();
    let got = grid.get(a % 6).copied();
    (grid, got, grid.len::<Bits>(), grid.len::<Items>())
}

#[routine]
trait Map<V> {
    fn get<K: Key>(&self, key: K) -> Option<V>;
    fn insert<K: Key>(&mut self, key: K, value: V) -> Option<V>;
    fn contains_key<K: Key>(&self, key: K) -> bool {
        self.get(key).is_some()
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Table {
    values: [Option<i32>; 32],
}

#[routine]
impl Map<i32> for Table {
    fn get<K: Key>(&self, key: K) -> Option<i32> {
        self.values[key.slot()]
    }

    fn insert<K: Key>(&mut self, key: K, value: i32) -> Option<i32> {
        self.values[key.slot()].replace(value)
    }
}

#[routine]
fn maps_contained(a: u32, b: u8, v: i32) -> (Option<i32>, Option<i32>, bool) {
    let mut table = Table { values: [None; 32] };
    let first = table.insert(a, v);
    let second = table.insert((b, 1), v / 2);
    (first.or(second), table.get(a), table.contains_key((1, b)))
}

#[derive(VmType, Clone, Copy, Debug, Default)]
struct Log {
    sum: u32,
    count: u32,
}

#[routine]
impl Log {
    fn push<A, B>(&mut self, a: A, b: B) -> &mut Self
    where
        A: Into<u32>,
        B: Into<u64>,
    {
        self.sum = self
            .sum
            .wrapping_mul(31)
            .wrapping_add(a.into())
            .wrapping_add(b.into() as u32);
        self.count += 1;
        self
    }
}

#[routine]
fn converted_pushes(a: u8, b: u32) -> Log {
    let mut log = Log::default();
    log.push(a, b).push(b, a).push(true, 'x');
    log
}

#[routine]
trait Visitor {
    fn visit(&mut self, value: u32);
}

#[routine]
impl Visitor for Log {
    fn visit(&mut self, value: u32) {
        self.sum = self.sum.wrapping_add(value);
        self.count += 1;
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Tree {
    nodes: [u32; 5],
}

#[routine]
impl Tree {
    fn for_each<V: Visitor>(&self, visitor: &mut V) {
        for &node in &self.nodes {
            visitor.visit(node);
        }
    }

    fn map<V: Visitor + Default>(self) -> V {
        let mut visitor = V::default();
        self.for_each(&mut visitor);
        visitor
    }
}

#[routine]
fn visited(a: u32, b: u32) -> (Log, Log) {
    let tree = Tree {
        nodes: [a, b, 1, 2, a ^ b],
    };
    let mut log = Log::default();
    tree.for_each(&mut log);
    (log, tree.map())
}

#[derive(VmType, Clone, Copy, Debug)]
struct Cellular<T> {
    value: T,
}

#[routine]
impl<T: Copy> Cellular<T> {
    fn replace<U: Into<T>>(&mut self, with: U) -> T {
        let old = self.value;
        self.value = with.into();
        old
    }

    fn zip<U>(self, other: Cellular<U>) -> Cellular<(T, U)> {
        Cellular {
            value: (self.value, other.value),
        }
    }

    fn and_then<U, F: FnOnce(T) -> Cellular<U>>(self, f: F) -> Cellular<U> {
        f(self.value)
    }
}

#[routine]
fn replaced_by(a: u8, b: u32) -> (u32, Cellular<(u32, u8)>, u64) {
    let mut cell = Cellular { value: b };
    let old = cell.replace(a);
    let next = cell.and_then(|v| Cellular {
        value: u64::from(v) + 1,
    });
    (old, cell.zip(Cellular { value: a }), next.value)
}
