//! What `derive(Default, PartialEq, Eq, PartialOrd, Ord)` gives beside `VmType`, what the user writes in their place, and `Ordering`.

use std::cmp::{Ordering, Reverse};

use gpuvm::prelude::*;

cases! {
    struct_operators, struct_methods, float_struct, enum_order, enum_payload, explicit_discriminants, tuples_and_arrays, options_and_results,
    nested_order, generic_order, ordering_methods, ordering_match, ordering_in_out, ordering_chain, scalars_compared, floats_compared,
    written_order, written_order_nested, written_total_order, written_equality_nested, written_operator, own_max, reversed, reversed_key,
    clamped, clamp_traps, generic_ordered, defaults, generic_default, written_default, insertion_sort_of_items, lazy_comparison,
    generic_written_equality, generic_written_order, generic_order_by_operators, generic_comparisons_in_others, generic_sorted, long_tuples,
    generic_in_tuples, generic_in_results, generic_in_structs, generic_in_generics, generic_in_enums, generic_deep, generic_behind_references,
    generic_of_parameters, generic_in_sorts, generic_in_long_arrays, generic_in_cells,
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u8,
    minor: i16,
    build: u64,
}

#[routine]
fn version(bits: u32) -> Version {
    Version {
        major: (bits & 1) as u8,
        minor: ((bits >> 1) & 3) as i16 - 1,
        build: ((bits >> 3) & 1) as u64 | ((bits >> 4) as u64 & 1) << 40,
    }
}

#[routine]
fn struct_operators(a: u32, b: u32) -> (bool, bool, bool, bool, bool, bool) {
    let (a, b) = (version(a), version(b));
    (a < b, a <= b, a > b, a >= b, a == b, a != b)
}

#[routine]
fn struct_methods(a: u32, b: u32) -> (Ordering, Option<Ordering>, Version, Version, bool, bool) {
    let (a, b) = (version(a), version(b));
    (a.cmp(&b), a.partial_cmp(&b), a.max(b), a.min(b), a.lt(&b), a.ne(&b))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Reading {
    value: f32,
    error: f32,
}

#[routine]
fn float_struct(a: f32, b: f32, c: f32) -> (bool, bool, bool, bool, Option<Ordering>) {
    let (x, y) = (Reading { value: a, error: b }, Reading { value: a, error: c });
    (x < y, x <= y, x > y, x >= y, x.partial_cmp(&y))
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Suit {
    Clubs,
    #[default]
    Diamonds,
    Hearts,
    Spades,
}

#[routine]
fn suit(n: u32) -> Suit {
    match n % 4 {
        0 => Suit::Clubs,
        1 => Suit::Diamonds,
        2 => Suit::Hearts,
        _ => Suit::Spades,
    }
}

#[routine]
fn enum_order(a: u32, b: u32) -> (bool, bool, Ordering, Suit, Suit) {
    let (a, b) = (suit(a), suit(b));
    (
        a < b,
        a >= Suit::Hearts,
        a.cmp(&b),
        a.max(b),
        a.clamp(Suit::Diamonds, Suit::Hearts),
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Shape {
    Nothing,
    Circle(f32),
    Rect { width: f32, height: u32 },
}

#[routine]
fn shape(n: u32, x: f32) -> Shape {
    match n % 3 {
        0 => Shape::Nothing,
        1 => Shape::Circle(x),
        _ => Shape::Rect {
            width: x,
            height: n % 7,
        },
    }
}

#[routine]
fn enum_payload(a: u32, b: u32, x: f32, y: f32) -> (bool, bool, bool, Option<Ordering>) {
    let (a, b) = (shape(a, x), shape(b, y));
    (a < b, a >= b, a == b, a.partial_cmp(&b))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    High = 10,
    Low = -3,
    Middle = 4,
}

#[routine]
fn level(n: u32) -> Level {
    match n % 3 {
        0 => Level::High,
        1 => Level::Low,
        _ => Level::Middle,
    }
}

#[routine]
fn explicit_discriminants(a: u32, b: u32) -> (bool, Ordering, Level) {
    (level(a) < level(b), level(a).cmp(&level(b)), level(a).max(level(b)))
}

#[routine]
fn tuples_and_arrays(a: i32, b: i32, c: u64, x: f32) -> (bool, bool, bool, Ordering, bool) {
    let (p, q) = ((a % 2, c, b), (b % 2, c, a));
    (
        p < q,
        [a, b] <= [b, a],
        (x, 1u8) > (x, 0),
        [p, q].cmp(&[q, p]),
        (a, b).max((b, a)) == (a, b),
    )
}

#[routine]
fn options_and_results(a: Option<i32>, b: Option<i32>, c: u32) -> (bool, bool, Ordering, bool, Option<i32>) {
    let x: Result<u32, i32> = if c % 2 == 0 { Ok(c) } else { Err(5) };
    let y: Result<u32, i32> = if c % 3 == 0 { Ok(7) } else { Err(4) };
    (a < b, a == b, a.cmp(&b), x < y, a.max(b))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Card {
    suit: Suit,
    rank: Option<(u8, Version)>,
    tags: [bool; 2],
}

#[routine]
fn card(n: u32) -> Card {
    Card {
        suit: suit(n / 3),
        rank: if n % 5 == 0 {
            None
        } else {
            Some(((n % 2) as u8, version(n)))
        },
        tags: [n % 2 == 0, n % 3 == 0],
    }
}

#[routine]
fn nested_order(a: u32, b: u32) -> (bool, bool, Ordering, Card) {
    let (x, y) = (card(a % 64), card(b % 64));
    (x < y, x == y, x.cmp(&y), x.min(y))
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Pair<T> {
    first: T,
    second: T,
}

#[routine]
fn generic_order(a: u32, b: u32, c: i32) -> (bool, Ordering, bool, Pair<i32>) {
    let (x, y) = (
        Pair {
            first: a % 3,
            second: b,
        },
        Pair {
            first: b % 3,
            second: a,
        },
    );
    let (v, w) = (Pair { first: c, second: 1 }, Pair { first: 1, second: c });
    (x < y, x.cmp(&y), v == w, v.max(w))
}

#[routine]
fn ordering_methods(a: i32, b: i32) -> (bool, bool, bool, bool, bool, bool, Ordering, i32) {
    let order = a.cmp(&b);
    let all = (
        order.is_lt(),
        order.is_le(),
        order.is_gt(),
        order.is_ge(),
        order.is_eq(),
        order.is_ne(),
    );
    (all.0, all.1, all.2, all.3, all.4, all.5, order.reverse(), order as i32)
}

#[routine]
fn ordering_match(a: u64, b: u64) -> u64 {
    let mut low = a;
    match a.cmp(&b) {
        Ordering::Less => low += 1,
        std::cmp::Ordering::Equal => low = 77,
        Ordering::Greater => low = b,
    }
    if a.partial_cmp(&b) == Some(Ordering::Less) {
        low / 2
    } else {
        low
    }
}

#[routine]
fn flipped_order(order: Ordering) -> Ordering {
    match order {
        Ordering::Less => Ordering::Greater,
        Ordering::Greater => Ordering::Less,
        same => same,
    }
}

#[routine]
fn ordering_in_out(a: i8, b: i8) -> (Ordering, bool, [Ordering; 2]) {
    let order = flipped_order(a.cmp(&b));
    (order, order < Ordering::Equal, [order, Ordering::Equal])
}

#[routine]
fn ordering_chain(a: u32, b: u32) -> Ordering {
    (a % 4).cmp(&(b % 4)).then(b.cmp(&a)).then((a / 2).cmp(&b).reverse())
}

#[routine]
fn scalars_compared(a: i64, b: i64, c: bool, e: u8, f: u8) -> (Ordering, Ordering, Option<Ordering>, bool) {
    let d = e > f;
    (a.cmp(&b), c.cmp(&d), e.partial_cmp(&f), e.eq(&f) || a.ge(&b))
}

#[routine]
fn floats_compared(a: f32, b: f32) -> (Option<Ordering>, bool, bool) {
    (a.partial_cmp(&b), a.partial_cmp(&b).is_none(), a.le(&b))
}

/// Ordered by its distance from ten, then downwards.
#[derive(VmType, Clone, Copy, Debug)]
struct Near(i32);

#[routine]
impl PartialEq for Near {
    fn eq(&self, other: &Near) -> bool {
        self.0.abs_diff(10) == other.0.abs_diff(10)
    }
}

#[routine]
impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Near) -> Option<Ordering> {
        if self.0 == i32::MIN || other.0 == i32::MIN {
            None
        } else {
            Some(self.0.abs_diff(10).cmp(&other.0.abs_diff(10)))
        }
    }
}

#[routine]
fn written_order(a: i32, b: i32) -> (bool, bool, bool, bool, bool, bool, Option<Ordering>) {
    let (x, y) = (Near(a), Near(b));
    (x < y, x <= y, x > y, x >= y, x == y, x != y, x.partial_cmp(&y))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Place {
    row: u32,
    near: Option<Near>,
    last: [Near; 2],
}

#[routine]
fn place(a: i32, b: i32) -> Place {
    Place {
        row: (a & 1) as u32,
        near: if b % 3 == 0 { None } else { Some(Near(b)) },
        last: [Near(a % 10), Near(b)],
    }
}

#[routine]
fn written_order_nested(a: i32, b: i32, c: i32) -> (bool, bool, Option<Ordering>, bool, bool) {
    let (x, y) = (place(a, b), place(c, b));
    (x < y, x >= y, x.partial_cmp(&y), x == y, (a, Near(b)) < (c, Near(a)))
}

/// Compared by the last digit, the largest first.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Digit(u32);

#[routine]
impl Ord for Digit {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.0 % 10).cmp(&(self.0 % 10)).then(self.0.cmp(&other.0))
    }
}

#[routine]
impl PartialOrd for Digit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[routine]
fn written_total_order(a: u32, b: u32) -> (Ordering, bool, Digit, Digit, Ordering, [Digit; 2]) {
    let (x, y) = (Digit(a), Digit(b));
    (
        x.cmp(&y),
        x < y,
        x.max(y),
        x.min(y),
        (1, x).cmp(&(1, y)),
        [x, y].min([y, x]),
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Slot {
    Empty,
    Full(Near, u32),
}

#[routine]
fn written_equality_nested(a: i32, b: i32, c: u32) -> (bool, bool, bool) {
    let x = if c % 3 == 0 {
        Slot::Empty
    } else {
        Slot::Full(Near(a), c % 2)
    };
    let y = if c % 5 == 0 {
        Slot::Empty
    } else {
        Slot::Full(Near(b), 1)
    };
    (
        x == y,
        [Near(a); 2] == [Near(b), Near(20 - a % 100)],
        Some(Near(a)) != Some(Near(b)),
    )
}

/// Its operator differs from its order, as nobody should have it.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Odd(u32);

#[routine]
impl PartialOrd for Odd {
    fn partial_cmp(&self, other: &Odd) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }

    fn lt(&self, other: &Odd) -> bool {
        self.0 % 8 < other.0 % 8
    }
}

#[routine]
fn written_operator(a: u32, b: u32) -> (bool, bool, bool, bool) {
    let (x, y) = (Odd(a), Odd(b));
    (x < y, x > y, x.lt(&y), x <= y)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Color {
    r: f32,
    g: f32,
}

#[routine]
impl Color {
    fn max(self, other: Color) -> Color {
        Color {
            r: self.r.max(other.r),
            g: self.g.max(other.g),
        }
    }

    fn clamp(self) -> Color {
        Color {
            r: self.r.clamp(0.0, 1.0),
            g: self.g.clamp(0.0, 1.0),
        }
    }
}

#[routine]
fn own_max(a: f32, b: f32) -> Color {
    Color { r: a, g: b }.max(Color { r: b, g: a }).clamp()
}

#[routine]
fn reversed(a: u32, b: u32) -> (bool, Ordering, Reverse<u32>, u32) {
    let (x, y) = (Reverse(a), Reverse(b));
    let Reverse(low) = x.max(y);
    (x < y, x.cmp(&y), x.min(y), low + x.0 % 2)
}

#[routine]
fn reversed_key(a: u32, b: i32, c: u32) -> (bool, Ordering) {
    let (x, y) = ((a % 4, Reverse(b)), (c % 4, Reverse(b / 2)));
    (x < y, x.cmp(&y))
}

#[routine]
fn clamped(a: i64, b: u32) -> (i64, (u32, u32), Suit) {
    (
        a.clamp(-1000, 1000),
        (b % 5, b % 3).clamp((1, 1), (3, 0)),
        suit(b).clamp(Suit::Diamonds, Suit::Diamonds),
    )
}

#[routine]
fn clamp_traps(a: u32, b: u32) -> Suit {
    suit(a).clamp(suit(b), Suit::Hearts)
}

#[routine]
fn middle<T: VmType + Ord>(a: T, b: T, c: T) -> T {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if c == low { c } else { c.clamp(low, high) }
}

#[routine]
fn largest_in_order<T: VmType + PartialOrd>(values: &[T]) -> T {
    let mut largest = values[0];
    for value in values {
        if value.partial_cmp(&largest) == Some(Ordering::Greater) {
            largest = *value;
        }
    }
    largest
}

#[routine]
fn generic_ordered(a: u32, b: u32, c: u32) -> (u32, Version, Digit, (u32, bool), Near) {
    (
        middle(a, b, c),
        middle(version(a), version(b), version(c)),
        middle(Digit(a), Digit(b), Digit(c)),
        middle((a % 3, true), (b % 3, c > 5), (c % 3, false)),
        largest_in_order(&[Near(a as i32), Near(b as i32), Near(c as i32)]),
    )
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
struct Options {
    size: usize,
    ratio: f32,
    suit: Suit,
    version: Version,
    limits: [Option<u64>; 2],
    pair: (bool, i8),
}

#[routine]
fn defaults(a: u32) -> (Options, Suit, u32, [i64; 2], (u8, f32), Option<u32>, bool) {
    let options = Options {
        size: a as usize % 100,
        ..Default::default()
    };
    let suit: Suit = Default::default();
    let pair = <(u8, f32)>::default();
    (
        options,
        suit,
        u32::default() + a / 2,
        <[i64; 2]>::default(),
        pair,
        Option::default(),
        options == Options::default(),
    )
}

#[routine]
fn reset_order<T: VmType + Default>(value: &mut T) -> T {
    let old = *value;
    *value = T::default();
    old
}

#[routine]
fn generic_default(a: u32) -> (u32, u32, Pair<u32>, Suit) {
    let mut n = a;
    let mut pair = Pair { first: a, second: 1 };
    let mut suit = suit(a);
    let old = reset_order(&mut n) / 2 + reset_order(&mut pair).second + reset_order(&mut suit) as u32;
    (n, old, pair, suit)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Wave {
    phase: f32,
}

impl Default for Wave {
    fn default() -> Wave {
        Wave { phase: 0.25 }
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Tuned(f32);

#[routine]
impl Default for Tuned {
    fn default() -> Tuned {
        Tuned(1.0f32.sin())
    }
}

#[routine]
fn written_default(a: f32) -> (Wave, Tuned, f32) {
    (Wave::default(), Tuned::default(), a + Wave::default().phase)
}

#[routine]
fn insertion_sort_of_items(a: u32, b: u32, c: u32) -> [Version; 4] {
    let mut all = [version(a), version(b), version(c), version(a ^ b)];
    for i in 1..all.len() {
        let mut j = i;
        while j > 0 && all[j - 1] > all[j] {
            let high = all[j - 1];
            all[j - 1] = all[j];
            all[j] = high;
            j -= 1;
        }
    }
    all
}

/// Comparing it with zero traps.
#[derive(VmType, Clone, Copy, Debug)]
struct Strict(u32);

#[routine]
impl PartialEq for Strict {
    fn eq(&self, other: &Strict) -> bool {
        1000 / self.0 == 1000 / other.0
    }
}

#[routine]
fn lazy_comparison(a: u32, b: u32) -> (bool, bool) {
    let (x, y) = ((a % 3, Strict(a % 5)), (b % 3, Strict(b % 4 + 1)));
    (x == y, Some(Strict(b % 7)) == None)
}

/// Equal to within a tolerance.
#[derive(VmType, Clone, Copy, Debug, Default)]
struct Vector<T> {
    v: [T; 3],
}

#[routine]
impl<T> PartialEq<Self> for Vector<T>
where
    T: Copy + Into<f64>,
{
    fn eq(&self, other: &Self) -> bool {
        let far = |k: usize| -> bool {
            let (a, b): (f64, f64) = (self.v[k].into(), other.v[k].into());
            (a - b).abs() > 0.5
        };
        !(0..3).any(far)
    }
}

#[routine]
fn generic_written_equality(a: f32, b: i32) -> (bool, bool, bool) {
    let floats = Vector { v: [a, 1.0, -2.5] };
    let moved = Vector {
        v: [a + 0.25, 0.75, -2.5],
    };
    let integers = Vector { v: [b, b % 3, 4] };
    (
        floats == moved,
        integers != Vector { v: [b, 1, 4] },
        Some(floats) == Some(Vector::default()),
    )
}

/// By distance from zero, the largest first.
#[derive(VmType, Clone, Copy, Debug)]
struct Far<T>(T);

#[routine]
impl<T: Copy + Into<i64>> PartialEq for Far<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Copy + Into<i64>> Eq for Far<T> {}

#[routine]
impl<T: Copy + Into<i64>> PartialOrd for Far<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[routine]
impl<T: Copy + Into<i64>> Ord for Far<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b): (i64, i64) = (self.0.into(), other.0.into());
        b.abs().cmp(&a.abs())
    }
}

#[routine]
fn generic_written_order(a: i32, b: i32) -> (Option<Ordering>, Ordering, bool) {
    let (x, y) = (Far(a % 50), Far(b % 50));
    (x.partial_cmp(&y), x.cmp(&y), x == Far(-x.0))
}

#[routine]
fn generic_order_by_operators(a: i32, b: i32, c: i32) -> ([bool; 4], [i32; 3], bool) {
    let (x, y, z) = (Far(a % 50), Far(b % 50), Far(c % 50));
    (
        [x < y, x <= y, x > y, x >= y],
        [x.max(y).0, x.min(y).0, x.clamp(y.min(z), y.max(z)).0],
        x.lt(&y),
    )
}

/// By a score alone, the best first.
#[derive(VmType, Clone, Copy, Debug)]
struct Scored<T> {
    score: i32,
    what: T,
}

#[routine]
impl<T> PartialEq for Scored<T> {
    fn eq(&self, other: &Self) -> bool {
        self.score == other.score
    }
}

impl<T> Eq for Scored<T> {}

#[routine]
impl<T> PartialOrd for Scored<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[routine]
impl<T> Ord for Scored<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.cmp(&self.score)
    }
}

#[routine]
fn generic_comparisons_in_others(a: i32, b: i32, c: u32) -> [bool; 8] {
    let (x, y) = (
        Scored { score: a % 3, what: c },
        Scored {
            score: b % 3,
            what: c ^ 1,
        },
    );
    let (far, near) = ([Far(a % 9), Far(4)], [Far(b % 9), Far(-4)]);
    [
        Some(x) == Some(y),
        Some(x) < Some(y),
        [x, y] == [y, x],
        [x, y] <= [y, x],
        Some([x, x]) != Some([y, x]),
        None >= Some(&x),
        far == near,
        far > near,
    ]
}

#[routine]
fn best<T: Ord + Copy>(list: &[T]) -> T {
    let mut best = list[0];
    for &x in list {
        if x < best {
            best = x;
        }
    }
    best
}

#[routine]
fn generic_sorted(list: [i32; 6], a: u32) -> ([i32; 6], [u32; 4]) {
    let mut scored = [0usize, 1, 2, 3, 4, 5].map(|i| Scored {
        score: list[i] % 8,
        what: i as u32,
    });
    let ends = [
        best(&scored).what,
        scored.iter().max().map_or(9, |s| s.what),
        scored.iter().min().map_or(9, |s| s.what),
        scored
            .iter()
            .position(|s| {
                *s == Scored {
                    score: list[5] % 8,
                    what: a,
                }
            })
            .map_or(9, |i| i as u32),
    ];
    scored.sort();
    (scored.map(|s| s.score), ends)
}

/// Tuples are as long as std's traits take them.
#[routine]
fn long_tuples(a: u32, b: u32) -> ([bool; 4], Ordering, (u32, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u32)) {
    let x = (1, 2, a, 4, 5, 6, b, 8);
    let y = (1, 2, b, 4, 5, 6, a, 8);
    let z = (b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, a);
    let w = (a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, b);
    (
        [x == y, x < y, z == w, z >= w],
        (a, 0, 0, 0, 0, 0, b).cmp(&(b, 0, 0, 0, 0, 0, a)),
        z.max(w),
    )
}

#[routine]
fn generic_in_tuples(a: i32, b: i32) -> ([bool; 6], Ordering, Option<Ordering>, [i32; 3]) {
    let (x, y) = ((Far(a % 5), a % 2), (Far(b % 5), b % 2));
    let (low, high) = (x.min(y), x.max(y));
    (
        [x == y, x != y, x < y, x <= y, x > y, x.ge(&y)],
        x.cmp(&y),
        (1, x).partial_cmp(&(1, y)),
        [low.0.0, high.0.0, (Far(3), 1).clamp(low, high).0.0],
    )
}

#[routine]
fn generic_in_results(a: i32, b: i32) -> ([bool; 5], Ordering, i32) {
    let x = if a % 3 == 0 { Err(a) } else { Ok(Far(a % 4)) };
    let y = if b % 3 == 0 { Err(a) } else { Ok(Far(b % 4)) };
    let other: Result<u8, Scored<i32>> = Err(Scored { score: a % 2, what: b });
    (
        [
            x == y,
            x < y,
            x >= y,
            Ok::<_, u8>(Far(a % 4)) == Ok(Far(-(a % 4))),
            other == Err(Scored { score: 1, what: a }),
        ],
        x.cmp(&y),
        x.max(y).map_or(0, |far| far.0),
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stop {
    far: Far<i32>,
    line: u8,
}

#[routine]
fn generic_in_structs(a: i32, b: i32) -> ([bool; 4], Ordering, Option<Ordering>, Stop, bool) {
    let x = Stop {
        far: Far(a % 6),
        line: (a & 1) as u8,
    };
    let y = Stop {
        far: Far(b % 6),
        line: (b & 1) as u8,
    };
    (
        [x == y, x != y, x < y, x >= y],
        x.cmp(&y),
        x.partial_cmp(&y),
        x.max(y),
        x.eq(&y) || x.lt(&y),
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Both<T> {
    first: T,
    scored: Scored<T>,
}

#[routine]
fn generic_in_generics(a: i32, b: i32) -> ([bool; 6], Ordering) {
    let of = |n: i32| Both {
        first: Far(n % 3),
        scored: Scored {
            score: n % 2,
            what: Far(n),
        },
    };
    let plain = |n: i32| Both {
        first: n % 3,
        scored: Scored { score: n % 2, what: n },
    };
    let (x, y) = (of(a), of(b));
    (
        [
            x == y,
            x < y,
            x >= y,
            plain(a) == plain(b),
            plain(a) < plain(b),
            Some(x) != Some(y),
        ],
        x.cmp(&y),
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Leg<T: Copy + Into<i64>> {
    Wait,
    Ride { from: Far<T>, stop: Stop },
    Walk(T, Option<Far<T>>),
}

#[routine]
fn leg(a: i32, b: i32) -> Leg<i32> {
    match a % 3 {
        0 => Leg::Wait,
        1 => Leg::Ride {
            from: Far(b % 3),
            stop: Stop {
                far: Far(b % 2),
                line: 1,
            },
        },
        _ => Leg::Walk(b % 2, if b % 5 == 0 { None } else { Some(Far(b % 4)) }),
    }
}

#[routine]
fn generic_in_enums(a: i32, b: i32, c: i32) -> ([bool; 4], Ordering, Leg<i32>) {
    let (x, y) = (leg(a, b), leg(c, a));
    ([x == y, x != y, x < y, x >= y], x.cmp(&y), x.min(y))
}

#[routine]
fn generic_deep(a: i32, b: i32) -> ([bool; 4], Ordering) {
    let of = |n: i32| (Some([(Far(n % 3), leg(n, n))]), Ok::<_, Stop>(Reverse(Far(n % 4))));
    let (x, y) = (of(a), of(b));
    ([x == y, x < y, x != y, Some(x) <= Some(y)], x.cmp(&y))
}

#[derive(VmType, Clone, Copy, PartialEq, PartialOrd)]
struct Seen<'a> {
    best: &'a Far<i32>,
    rest: &'a [Far<i32>],
}

#[routine]
fn generic_behind_references(a: i32, b: i32) -> [bool; 5] {
    let list = [Far(a % 3), Far(b % 3), Far(-(a % 3)), Far(-(b % 3))];
    let x = Seen {
        best: &list[0],
        rest: &list[..2],
    };
    let y = Seen {
        best: &list[2],
        rest: &list[2..],
    };
    let z = Seen {
        best: &list[1],
        rest: &list[1..3],
    };
    [x == y, x == z, x < z, (&list[0], 1) == (&list[1], 1), x.rest <= z.rest]
}

#[routine]
fn is_between<T: VmType + PartialOrd>(value: (T, u8), low: (T, u8), high: (T, u8)) -> bool {
    low <= value && value < high || value == low
}

#[routine]
fn generic_of_parameters(a: i32, b: i32, c: i32) -> (bool, bool, bool) {
    (
        is_between((a, 1), (b, 1), (c, 1)),
        is_between((Far(a % 9), 1), (Far(b % 9), 1), (Far(c % 9), 1)),
        is_between((leg(a, b), 2), (leg(b, c), 2), (leg(c, a), 2)),
    )
}

#[routine]
fn generic_in_sorts(a: i32, b: i32, c: i32) -> ([i32; 4], [u8; 3], bool, Option<i32>, Result<usize, usize>) {
    let mut pairs = [(Far(a % 9), 1), (Far(b % 9), 2), (Far(c % 9), 3), (Far(a % 7), 4)];
    pairs.sort();
    let mut stops = [a, b, c].map(|n| Stop {
        far: Far(n % 3),
        line: (n & 3) as u8,
    });
    stops.sort_unstable_by(Ord::cmp);
    (
        pairs.map(|(_, n)| n),
        stops.map(|stop| stop.line),
        pairs.contains(&(Far(3), 2)),
        pairs.iter().copied().max().map(|(far, _)| far.0),
        pairs.binary_search(&(Far(b % 9), 2)),
    )
}

#[routine]
fn generic_in_long_arrays(a: i32, b: i32, c: u32) -> ([bool; 4], Ordering) {
    let mut x = [(Far(a % 3), 0); 20];
    let mut y = [(Far(-(a % 3)), 0); 20];
    x[c as usize % 20] = (Far(b % 3), 1);
    y[c as usize / 2 % 20] = (Far(b % 3), 1);
    ([x == y, x < y, x >= y, Some(x) != Some(y)], x.cmp(&y))
}

#[routine]
fn generic_in_cells(a: i32, b: i32) -> (bool, bool) {
    let (x, y) = (std::cell::Cell::new(Far(a % 4)), std::cell::Cell::new(Far(b % 4)));
    (x == y, x < y)
}
