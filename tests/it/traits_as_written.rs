//! Traits and generic types as one writes them first: associated types without bounds, references where a trait is asked for, fields behind the `Deref` of a generic
//! type, tags without values.

use core::marker::PhantomData;
use core::ops::{AddAssign, Deref, DerefMut};

use gpuvm::prelude::*;

cases! {
    few:
    associated_types_without_bounds, lent_items, defaults_of_a_trait, references_where_a_trait_is_asked, bodies_for_references,
    fields_behind_generic_derefs, tags_without_values, names_of_methods, unique_operands,
}

#[routine]
trait Machine {
    type Event;
    type State: Copy + PartialEq;

    fn start(&self) -> Self::State;
    fn next(&self, state: Self::State, event: Self::Event) -> Self::State;
}

#[derive(VmType, Clone, Copy)]
struct Counter(u32);

#[routine]
impl Machine for Counter {
    type Event = (u32, bool);
    type State = (u32, u8);

    fn start(&self) -> (u32, u8) {
        (self.0, 0)
    }

    fn next(&self, (sum, n): Self::State, (x, up): Self::Event) -> Self::State {
        (if up { sum.wrapping_add(x) } else { sum ^ x }, n + 1)
    }
}

#[routine]
fn run<M: Machine>(machine: &M, events: impl Iterator<Item = M::Event>) -> (M::State, bool) {
    let mut state = machine.start();
    for event in events {
        state = machine.next(state, event);
    }
    (state, state == machine.start())
}

#[routine]
fn associated_types_without_bounds(a: u32, b: u32) -> ((u32, u8), bool) {
    run(&Counter(a), [(b, true), (a, false), (b % 3, b % 2 == 0)].into_iter())
}

#[routine]
trait Lexer {
    type Token;
    fn lex(&mut self) -> Option<Self::Token>;
}

#[derive(VmType)]
struct Runs<'a>(&'a [u8]);

#[routine]
impl<'a> Lexer for Runs<'a> {
    type Token = &'a [u8];

    fn lex(&mut self) -> Option<&'a [u8]> {
        let first = self.0.first()?;
        let len = self.0.iter().take_while(|byte| *byte == first).count();
        let (run, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(run)
    }
}

#[routine]
fn tokens<L: Lexer>(mut lexer: L) -> u32 {
    let mut count = 0;
    while let Some(_) = lexer.lex() {
        count += 1;
    }
    count
}

#[routine]
fn last_token<L: Lexer>(lexer: &mut L) -> Option<L::Token> {
    let mut last = None;
    while let Some(token) = lexer.lex() {
        last = Some(token);
    }
    last
}

#[routine]
fn lent_items(a: u32) -> (u32, u32, u32) {
    let bytes = [1, 1, (a & 1) as u8, (a & 3) as u8, 0, 0];
    let mut runs = Runs(&bytes);
    let first = runs.lex().map_or(0, |run| run.len() as u32);
    let last = last_token(&mut runs).map_or(9, |run| run.len() as u32);
    (first, last, tokens(Runs(&bytes)))
}

#[routine]
trait Seeded: Sized {
    type Seed: Default + AsMut<[u8]>;

    fn of(seed: Self::Seed) -> Self;

    fn numbered(n: u32) -> Self {
        let mut seed = Self::Seed::default();
        for (i, chunk) in seed.as_mut().chunks_mut(2).enumerate() {
            chunk.fill((n >> (8 * i)) as u8);
        }
        Self::of(seed)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Four([u8; 4]);

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Two(u8, u8);

#[routine]
impl Seeded for Four {
    type Seed = [u8; 4];

    fn of(seed: [u8; 4]) -> Self {
        Four(seed)
    }
}

#[routine]
impl Seeded for Two {
    type Seed = [u8; 2];

    fn of([a, b]: [u8; 2]) -> Self {
        Two(b, a)
    }
}

#[routine]
fn defaults_of_a_trait(n: u32) -> (Four, Two) {
    (Four::numbered(n), Two::numbered(n))
}

#[routine]
trait Source {
    fn draw(&mut self) -> u32;

    fn draw_wide(&mut self) -> u64 {
        u64::from(self.draw()) << 32 | u64::from(self.draw())
    }

    fn fill<T: From<u8>>(&mut self, items: &mut [T])
    where
        Self: Sized,
    {
        for item in items {
            *item = T::from(self.draw() as u8);
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Lcg(u32);

#[routine]
impl Source for Lcg {
    fn draw(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }
}

#[routine]
impl<S: Source> Source for &mut S {
    fn draw(&mut self) -> u32 {
        (**self).draw()
    }
}

#[routine]
fn deal<S: Source>(mut source: S) -> [u32; 3] {
    let mut items = [0; 3];
    source.fill(&mut items);
    items[0] ^= source.draw();
    items
}

#[routine]
fn deal_twice(source: &mut impl Source) -> ([u32; 3], u32) {
    ([source.draw(); 3], source.draw())
}

#[routine]
fn references_where_a_trait_is_asked(seed: u32) -> ([u32; 3], [u32; 3], ([u32; 3], u32), Lcg) {
    let mut lcg = Lcg(seed);
    let (by_value, by_reference) = (deal(lcg), deal(&mut lcg));
    (by_value, by_reference, deal_twice(&mut lcg), lcg)
}

#[routine]
fn bodies_for_references(seed: u32) -> (u64, u64, Lcg) {
    let mut lcg = Lcg(seed);
    let wide = (&mut lcg).draw_wide();
    fn through<S: Source>(mut source: S) -> u64 {
        source.draw_wide()
    }
    (wide, through(&mut lcg), lcg)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Point {
    x: u32,
    y: u32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Counted<T> {
    inner: T,
    changes: u32,
}

#[routine]
impl<T> Deref for Counted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

#[routine]
impl<T> DerefMut for Counted<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.changes += 1;
        &mut self.inner
    }
}

#[derive(VmType, Debug)]
struct Guard<'a, T: Copy> {
    inner: &'a mut T,
    changes: u32,
}

#[routine]
impl<T: Copy> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner
    }
}

#[routine]
impl<T: Copy> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.changes += 1;
        self.inner
    }
}

#[routine]
fn fields_behind_generic_derefs(x: u32, y: u32) -> (u32, Counted<Point>, Point, u32) {
    let mut counted = Counted {
        inner: Point { x, y },
        changes: 0,
    };
    counted.y = counted.y.wrapping_add(counted.x);
    let point: &Point = &counted;
    let sum = point.y.wrapping_add((*counted).x);
    let mut other = Point { x: y, y: x };
    let mut guard = Guard {
        inner: &mut other,
        changes: 0,
    };
    guard.x ^= guard.y;
    guard.x = guard.x.wrapping_mul(3);
    let changes = guard.changes;
    (sum, counted, other, changes)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Metres {}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Feet {}

/// Copied whatever its unit is.
#[derive(VmType, Debug)]
struct Length<U> {
    value: u32,
    unit: PhantomData<U>,
}

#[routine]
impl<U> Clone for Length<U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U> Copy for Length<U> {}

#[routine]
impl<U> AddAssign for Length<U> {
    fn add_assign(&mut self, other: Self) {
        self.value = self.value.wrapping_add(other.value);
    }
}

#[routine]
impl<U> Length<U> {
    fn new(value: u32) -> Self {
        Length {
            value,
            unit: PhantomData,
        }
    }

    fn converted<V>(self, by: u32) -> Length<V> {
        Length::new(self.value / by)
    }
}

#[routine]
fn tags_without_values(a: u32, b: u32) -> (u32, u32) {
    let mut feet = Length::<Feet>::new(a);
    let copy = feet.clone();
    feet += Length::new(b);
    feet += copy;
    let metres: Length<Metres> = feet.converted(3);
    (feet.value, metres.value)
}

#[routine]
trait Twice {
    fn double(self) -> u32;
    fn of_double(self) -> u32;
}

#[routine]
impl Twice for u32 {
    fn double(self) -> u32 {
        self.wrapping_mul(2)
    }

    fn of_double(self) -> u32 {
        self.double() ^ 1
    }
}

#[routine]
impl Point {
    fn half(self) -> u32 {
        self.x / 2
    }

    fn of_half(&self) -> u32 {
        self.half() ^ self.y
    }
}

#[routine]
fn names_of_methods(x: u32, y: u32) -> (u32, u32, u32, u32) {
    let point = Point { x, y };
    (x.double(), y.of_double(), point.half(), point.of_half())
}

#[routine]
impl AddAssign<&Point> for Point {
    fn add_assign(&mut self, other: &Point) {
        self.x = self.x.wrapping_add(other.x);
        self.y ^= other.y;
    }
}

#[routine]
fn unique_operands(x: u32, y: u32) -> (Point, Point) {
    let mut points = [Point { x, y }, Point { x: y, y: 7 }];
    let [a, b] = &mut points;
    b.y = b.y.wrapping_sub(1);
    *a += b;
    let [a, b] = points;
    (a, b)
}
