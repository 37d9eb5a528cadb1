//! `Cell` and `OnceCell`: places that are changed through shared references, by closures, and in structs that stay inside.

use std::cell::{Cell, OnceCell};

use gpuvm::prelude::*;

cases! {
    counted_in_cells, every_method, shared, by_closures, in_structs, of_structs, of_references, cells_by_path, set_once, once_methods, memoised, swapped, in_arrays, in_loops,
    overflowing_cells, reentrant, elements_as_cells, compared_cells, generic_cells, in_enums, in_parts, default_cells, printed_cells,
    slices_of_cells, constant_cells, derived_defaults,
}

#[routine]
fn counted_in_cells(a: u32, list: [u32; 8]) -> (u32, u32) {
    let even = Cell::new(0);
    let odd = Cell::new(0u32);
    for x in list {
        let counter = if (x ^ a) % 2 == 0 { &even } else { &odd };
        counter.set(counter.get() + 1);
    }
    (even.get(), odd.get())
}

#[routine]
fn every_method(a: u32, b: u32) -> (u32, u32, u32, u32, (u32, bool)) {
    let mut cell = Cell::new(a);
    let before = cell.replace(b);
    let pair = Cell::new((a, true));
    cell.update(|x| x.rotate_left(3));
    let rotated = cell.get();
    *cell.get_mut() ^= 5;
    let taken = cell.take();
    let nothing = cell.get();
    pair.set((pair.get().0 ^ b, a > b));
    (before, rotated, taken, nothing, pair.into_inner())
}

/// An argument that two references lead to.
#[routine]
fn bump(cell: &Cell<u32>, by: u32) -> u32 {
    let before = cell.get();
    cell.set(before.wrapping_add(by));
    before
}

#[routine]
fn both(a: &Cell<u32>, b: &Cell<u32>) -> u32 {
    a.set(a.get().wrapping_mul(3));
    let middle = b.get();
    b.set(middle ^ 1);
    middle.wrapping_add(a.get())
}

#[routine]
fn shared(a: u32, b: u32) -> (u32, u32, u32) {
    let (x, y) = (Cell::new(a), Cell::new(b));
    let first = bump(&x, 7).wrapping_add(bump(&x, b));
    let alias = &x;
    let second = both(alias, &x) ^ both(&x, &y);
    (first, second, x.get() ^ y.get())
}

#[routine]
fn each(times: u32, f: impl Fn(u32)) {
    for i in 0..times {
        f(i);
    }
}

#[routine]
fn by_closures(a: u32, list: [u32; 8]) -> (u32, u32, u32) {
    let (sum, calls) = (Cell::new(0u32), Cell::new(0));
    let add = |x: u32| {
        sum.set(sum.get().wrapping_add(x));
        calls.set(calls.get() + 1);
    };
    let clear = || sum.replace(0);
    add(a);
    list.iter().for_each(|x| add(*x));
    let kept = clear();
    each(a % 5, add);
    each(a % 3, |i| sum.update(|sum| sum ^ i << 4));
    (kept, sum.get(), calls.get())
}

#[derive(VmType)]
struct Counter {
    hits: Cell<u32>,
    last: Cell<Option<u32>>,
    limit: u32,
}

#[routine]
impl Counter {
    fn new(limit: u32) -> Self {
        Counter {
            hits: Cell::new(0),
            last: Cell::new(None),
            limit,
        }
    }

    fn hit(&self, x: u32) -> bool {
        self.last.set(Some(x));
        if self.hits.get() == self.limit {
            return false;
        }
        self.hits.set(self.hits.get() + 1);
        true
    }

    fn report(self) -> (u32, Option<u32>) {
        (self.hits.get(), self.last.into_inner())
    }
}

#[routine]
fn in_structs(a: u32, list: [u32; 8]) -> (u32, (u32, Option<u32>)) {
    let counter = Counter::new(a % 7);
    let refused = list.iter().filter(|x| **x % 3 == 0 && !counter.hit(**x)).count();
    (refused as u32, counter.report())
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Default)]
struct Point {
    x: f32,
    y: [i32; 3],
}

#[routine]
fn of_structs(a: i32, x: f32) -> (Point, Point, Option<i32>) {
    let point = Cell::new(Point { x, y: [a, 1, 2] });
    let mut changed = point.get();
    changed.y[2] = a ^ 5;
    let old = point.replace(changed);
    let list = Cell::new(Some(a));
    let taken = list.take();
    (old, point.take(), if list.get().is_none() { taken } else { None })
}

#[routine]
fn of_references(a: u32, list: [u32; 8]) -> (u32, u32) {
    let best = Cell::new(&list[0]);
    let rest = Cell::new(&list[..]);
    for x in &list {
        if x % 100 > best.get() % 100 {
            best.set(x);
        }
    }
    rest.set(&rest.get()[a as usize % 8..]);
    (*best.get(), rest.get().iter().fold(a, |sum, x| sum.rotate_left(1) ^ x))
}

#[routine]
fn cells_by_path(a: u32, b: u32) -> (u32, u32) {
    let cell: Cell<u32> = std::cell::Cell::new(a);
    Cell::set(&cell, Cell::get(&cell) ^ b);
    let other = Cell::<u32>::new(b);
    Cell::swap(&cell, &other);
    (cell.into_inner(), Cell::into_inner(other))
}

#[routine]
fn slow(a: u32, calls: &Cell<u32>) -> u32 {
    calls.set(calls.get() + 1);
    let mut x = a;
    for _ in 0..a % 20 {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    x
}

#[routine]
fn set_once(a: u32, list: [u32; 8]) -> (u32, u32) {
    let calls = Cell::new(0);
    let start = OnceCell::new();
    let mut sum = 0u32;
    for x in list {
        if x % 2 == a % 2 {
            sum = sum.wrapping_add(*start.get_or_init(|| slow(a, &calls)) ^ x);
        }
    }
    (sum, calls.get())
}

#[routine]
fn once_methods(a: u32, b: u32) -> (Result<(), u32>, Result<(), u32>, Option<u32>, Option<u32>, Option<u32>) {
    let mut cell: OnceCell<u32> = OnceCell::new();
    let nothing = cell.get().copied();
    let first = if a % 2 == 0 { cell.set(a) } else { Ok(()) };
    let second = cell.set(b);
    if let Some(value) = cell.get_mut() {
        *value ^= 3;
    }
    let taken = cell.take();
    cell.set(1).unwrap();
    (first, second, nothing, taken, cell.into_inner())
}

#[derive(VmType)]
struct Lazy {
    seed: u32,
    table: OnceCell<[u32; 4]>,
    misses: Cell<u32>,
}

#[routine]
impl Lazy {
    fn table(&self) -> &[u32; 4] {
        self.table.get_or_init(|| {
            self.misses.set(self.misses.get() + 1);
            let mut table = [self.seed; 4];
            for i in 1..4 {
                table[i] = table[i - 1].wrapping_mul(2_654_435_761);
            }
            table
        })
    }

    fn at(&self, i: usize) -> u32 {
        self.table()[i % 4]
    }
}

#[routine]
fn memoised(a: u32, list: [u32; 8]) -> (u32, u32) {
    let lazy = Lazy {
        seed: a,
        table: OnceCell::new(),
        misses: Cell::new(0),
    };
    let sum = list
        .iter()
        .take(a as usize % 9)
        .fold(0, |sum, x| sum ^ lazy.at(*x as usize % 16));
    (sum, lazy.misses.get())
}

#[routine]
fn swapped(a: [u32; 8], b: u32) -> ([u32; 8], u32) {
    let (x, y) = (Cell::new(a), Cell::new([b; 8]));
    if b % 2 == 0 {
        x.swap(&y);
    }
    x.swap(&x);
    (x.get(), y.get()[3])
}

#[routine]
fn in_arrays(a: u32, list: [u32; 8]) -> [u32; 4] {
    let buckets = [Cell::new(0u32), Cell::new(1), Cell::new(2), Cell::new(a)];
    for x in list {
        let bucket = &buckets[x as usize % 4];
        bucket.set(bucket.get().wrapping_mul(5) ^ x);
    }
    for pair in buckets.windows(2) {
        pair[0].set(pair[0].get() ^ pair[1].get());
    }
    let sum = buckets.iter().map(Cell::get).fold(0, u32::wrapping_add);
    buckets[0].set(buckets[0].get() ^ sum);
    buckets.each_ref().map(|bucket| bucket.get())
}

#[routine]
fn in_loops(a: u32) -> u32 {
    let left = Cell::new(a % 40);
    let mut sum = 0;
    while left.get() > 0 {
        let step = move |by: u32| by + 1;
        left.set(left.get().saturating_sub(step(a % 3)));
        sum += left.get();
    }
    sum
}

/// Adds to one cell until it is too much.
#[routine]
fn overflowing_cells(a: u8, b: u8) -> u8 {
    let cell = Cell::new(a / 2);
    let add = |x: u8| cell.set(cell.get() + x);
    add(b / 2);
    add(b / 4);
    cell.get()
}

#[routine]
fn reentrant(a: u32) -> u32 {
    let cell = OnceCell::new();
    *cell.get_or_init(|| {
        if a % 16 == 3 {
            let _ = cell.set(1);
        }
        a
    })
}

#[routine]
fn compared_cells(a: u32, b: u32) -> (bool, bool, bool, std::cmp::Ordering) {
    let (x, y) = (Cell::new(a % 3), Cell::new(b % 3));
    let (once, other) = (OnceCell::new(), OnceCell::new());
    if a % 2 == 0 {
        once.set(x.get()).unwrap();
    }
    let _ = other.get_or_init(|| y.get());
    (x == y, x < y, once == other, x.cmp(&y))
}

#[routine]
fn fetch_max<T: PartialOrd + Copy>(cell: &Cell<T>, value: T) -> T {
    if value > cell.get() {
        cell.replace(value)
    } else {
        cell.get()
    }
}

#[routine]
fn generic_cells(a: u32, b: i64, x: f32) -> (u32, u32, i64, f32) {
    let (m, n, y) = (Cell::new(a), Cell::new(0i64), Cell::new(0.5f32));
    let first = fetch_max(&m, 1000);
    (first, m.get(), fetch_max(&n, b) ^ n.get(), fetch_max(&y, x) + y.get())
}

#[derive(VmType)]
enum Slot {
    Empty,
    Used { count: Cell<u32>, key: u32 },
}

#[routine]
fn in_enums(a: u32, list: [u32; 8]) -> (u32, u32) {
    let slot = if a % 4 == 0 {
        Slot::Empty
    } else {
        Slot::Used {
            count: Cell::new(0),
            key: a % 3,
        }
    };
    let mut missed = 0;
    for x in list {
        match &slot {
            Slot::Used { count, key } if x % 3 == *key => count.set(count.get() + x % 10),
            _ => missed += 1,
        }
    }
    match slot {
        Slot::Empty => (0, missed),
        Slot::Used { count, .. } => (count.into_inner(), missed),
    }
}

/// Of a type that holds cells.
#[derive(VmType)]
struct Machine<'a> {
    name: &'a str,
    counters: [Counter; 2],
}

#[derive(VmType)]
struct Both {
    left: Counter,
    right: Counter,
}

#[routine(callee)]
fn hit_both(both: &Both, x: u32) -> bool {
    both.left.hit(x) && both.right.hit(x / 2)
}

#[routine]
fn in_parts(a: u32, list: [u32; 8]) -> (u32, u32, Option<u32>) {
    let both = Both {
        left: Counter::new(a % 5),
        right: Counter::new(3),
    };
    let machine = Machine {
        name: "m",
        counters: [Counter::new(2), Counter::new(a % 3)],
    };
    for x in list {
        if hit_both(&both, x) {
            machine.counters[x as usize % 2].hit(x);
        }
    }
    let hits = machine.counters.iter().map(|counter| counter.hits.get()).sum::<u32>();
    (
        hits + machine.name.len() as u32,
        both.left.report().0,
        both.right.last.get(),
    )
}

#[routine]
fn default_cells(a: u32, b: u32) -> (u32, (bool, u32), Option<u32>) {
    let (cell, pair) = (Cell::default(), Cell::<(bool, u32)>::default());
    let once = OnceCell::<u32>::default();
    cell.set(cell.get() ^ a);
    pair.set((a > b, pair.get().1 + b % 5));
    if a % 2 == 0 {
        once.set(b).unwrap();
    }
    (cell.get(), pair.get(), once.get().copied())
}

/// What a panic says of them.
#[routine]
fn printed_cells(a: u32) -> u32 {
    let cell = Cell::new(a % 8);
    let once = OnceCell::new();
    if a % 2 == 0 {
        once.set(a % 16).unwrap();
    }
    assert!(a % 8 != 3, "{cell:?}");
    assert!(a % 8 != 5 && a % 8 != 6, "{once:?}");
    cell.get()
}

#[routine]
fn elements_as_cells(a: u32, b: u32) -> ([u32; 3], u32, u32) {
    let all = Cell::new([a, b, a ^ b]);
    let [first, .., last] = all.as_array_of_cells();
    first.swap(last);
    last.set(last.get() ^ 1);
    let mut single = b;
    let cell = Cell::from_mut(&mut single);
    cell.set(cell.get().rotate_left(a % 32));
    let before = cell.get();
    single ^= 9;
    (all.get(), before, single)
}

/// What is read through some of the cells, another changes.
#[routine]
fn spread(cells: &Cell<[u32]>) -> u32 {
    let cells = cells.as_slice_of_cells();
    for pair in cells.windows(2) {
        pair[1].set(pair[1].get() ^ pair[0].get().rotate_left(3));
    }
    cells.iter().map(Cell::get).fold(0, u32::wrapping_add)
}

#[routine]
fn slices_of_cells(a: u32, list: [u32; 6]) -> ([u32; 6], u32, u32, usize) {
    let mut list = list;
    let sum = spread(Cell::from_mut(&mut list[1..]));
    let cells = Cell::from_mut(&mut list[..4]).as_slice_of_cells();
    cells[0].swap(&cells[3]);
    cells[a as usize % 4].set(a);
    let last = cells.last().map_or(0, |cell| cell.get());
    let (count, array) = (cells.len(), Cell::new([a, 2, 3]));
    let sum = spread(&array).wrapping_add(sum);
    (list, sum ^ array.get()[1], last, count)
}

#[derive(VmType, Default)]
struct Meter {
    size: u32,
    hits: Cell<u32>,
    first: OnceCell<u64>,
}

#[routine]
impl Meter {
    const NEW: Meter = Meter {
        size: 2,
        hits: Cell::new(7),
        first: OnceCell::new(),
    };
}

#[routine]
fn derived_defaults(a: u32, b: u64) -> (u32, u64, u32) {
    let meter = Meter::default();
    meter.hits.set(meter.hits.get() + a % 5);
    let first = *meter.first.get_or_init(|| b);
    (
        meter.hits.get() + meter.size,
        first,
        u32::from(meter.first.set(1).is_err()),
    )
}

const FOUR: Cell<u32> = Cell::new(4);

/// Each use of a constant is a cell of its own.
#[allow(
    clippy::declare_interior_mutable_const,
    clippy::borrow_interior_mutable_const,
    const_item_interior_mutations
)]
#[routine]
fn constant_cells(a: u32) -> [u32; 5] {
    let (one, other) = (Meter::NEW, Meter::NEW);
    one.hits.set(one.hits.get() + a % 9);
    other.hits.set(1);
    let list = [FOUR; 3];
    list[1].set(a);
    FOUR.set(a);
    [
        one.hits.get() * 10 + other.hits.get(),
        list[0].get(),
        list[1].get(),
        FOUR.get(),
        Meter::NEW.hits.get() + one.size,
    ]
}
