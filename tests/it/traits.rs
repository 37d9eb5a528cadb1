//! The user's own traits: methods that a trait provides, and the impls that leave them or write their own.

use gpuvm::prelude::*;

cases! {
    provided_or_written, provided_calls_provided, provided_in_generic_code, provided_by_self_type, provided_recursion, provided_trap,
    provided_of_another_module, provided_with_closure, provided_for_generic_type, provided_in_a_block, provided_mutation,
    provided_lends, supertrait_operators, generic_trait, generic_trait_default, method_by_type,
    trait_with_lifetime, borrowed_parameter,
}

#[routine]
trait Shape {
    const SIDES: u32;
    type Size: VmType;

    fn size(&self) -> Self::Size;

    fn scale(&self) -> u32;

    /// Provided, and written by one of the types.
    fn corners(&self) -> u32 {
        Self::SIDES * 2
    }

    fn weight(&self) -> u32 {
        self.corners() * 100 + self.scale() % 97
    }

    fn twice(&self) -> (Self::Size, u32) {
        (self.size(), self.weight() + half(self.scale()))
    }

    fn unit() -> u32 {
        Self::SIDES + 1
    }

    fn units(count: u32) -> u32 {
        let mut sum = 0;
        for i in 0..count % 5 {
            sum += Self::unit() * i;
        }
        sum
    }
}

#[routine]
fn half(x: u32) -> u32 {
    x / 2
}

#[derive(VmType, Clone, Copy, Debug)]
struct Square(u32);

#[derive(VmType, Clone, Copy, Debug)]
struct Disc(f32);

#[routine]
impl Shape for Square {
    const SIDES: u32 = 4;
    type Size = u32;

    fn size(&self) -> u32 {
        self.0.wrapping_mul(self.0)
    }

    fn scale(&self) -> u32 {
        self.0 / 2
    }
}

#[routine]
impl Shape for Disc {
    const SIDES: u32 = 1;
    type Size = f32;

    fn size(&self) -> f32 {
        self.0 * self.0 * 3.0
    }

    fn scale(&self) -> u32 {
        (self.0.abs() % 1000.0) as u32
    }

    fn corners(&self) -> u32 {
        0
    }

    fn unit() -> u32 {
        77
    }
}

#[routine]
fn provided_or_written(a: u32, b: f32) -> (u32, u32, u32, u32) {
    (
        Square(a).corners(),
        Disc(b).corners(),
        Square::unit(),
        Disc::unit() + <Square as Shape>::unit(),
    )
}

#[routine]
fn provided_calls_provided(a: u32, b: f32) -> (u32, u32, u32, u32) {
    let square = Square(a);
    (
        square.weight(),
        Disc(b).weight(),
        Square::units(a),
        square.weight() + Disc::units(a),
    )
}

#[routine]
fn measured<S: Shape>(shape: S, n: u32) -> (S::Size, u32, u32) {
    let (size, twice) = shape.twice();
    (size, twice + S::units(n), shape.corners() + S::unit())
}

#[routine]
fn provided_in_generic_code(a: u32, b: f32, n: u32) -> ((u32, u32, u32), (f32, u32, u32)) {
    (measured(Square(a), n), measured(Disc(b), n))
}

#[routine]
trait Doubled: Copy {
    fn plus(self, other: Self) -> Self;

    fn doubled(self) -> Self {
        self.plus(self)
    }

    fn times(self, count: u32) -> Self {
        let mut sum = self;
        for _ in 1..count {
            sum = sum.plus(self);
        }
        sum
    }

    fn of_all(all: &[Self]) -> Option<Self>
    where
        Self: Sized,
    {
        let (first, rest) = all.split_first()?;
        Some(rest.iter().fold(*first, |sum, x| sum.plus(*x)))
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Money(u32);

#[routine]
impl Doubled for Money {
    fn plus(self, other: Self) -> Self {
        Money(self.0.wrapping_add(other.0))
    }
}

#[routine]
fn provided_by_self_type(a: u32, b: u32) -> (Money, Money, Option<Money>, Option<Money>) {
    let all = [Money(a), Money(b), Money(7)];
    (
        Money(a).doubled(),
        Money(b).times(b % 9),
        Money::of_all(&all),
        Money::of_all(&all[..(a % 2) as usize]),
    )
}

#[routine]
trait Halves {
    fn step(&self) -> u32;

    fn depth(&self, n: u32) -> u32 {
        if n <= self.step() { n } else { 1 + self.depth(n / 2) }
    }
}

#[routine]
impl Halves for Money {
    fn step(&self) -> u32 {
        self.0 % 10 + 1
    }
}

#[routine]
fn provided_recursion(a: u32, n: u32) -> u32 {
    Money(a).depth(n) * 10 + Money(3).depth(n)
}

#[routine]
trait Guarded {
    fn limit(&self) -> u32;

    fn guarded(&self, x: u32) -> u32 {
        assert!(x < self.limit(), "{x} is not below {}", self.limit());
        self.limit() - x
    }
}

#[routine]
impl Guarded for Money {
    fn limit(&self) -> u32 {
        self.0 | 0xffff
    }
}

#[routine]
fn provided_trap(a: u32, b: u32) -> u32 {
    Money(a).guarded(b)
}

mod ranks {
    use gpuvm::prelude::*;

    #[routine]
    pub trait Rank {
        fn rank(&self) -> u32;

        fn above(&self) -> u32 {
            next(self.rank())
        }
    }

    // Where the trait is imported, this is not.
    #[routine]
    fn next(rank: u32) -> u32 {
        rank.wrapping_mul(3) + 1
    }

    pub mod inner {
        #[gpuvm::prelude::routine]
        pub(super) trait Hidden {
            fn hidden(&self) -> u32 {
                5
            }
        }
    }

    #[routine]
    impl inner::Hidden for super::Money {}

    #[routine]
    pub fn hidden(money: super::Money) -> u32 {
        use inner::Hidden;
        money.hidden()
    }
}

mod imports {
    pub use super::ranks::*;
}

#[routine]
impl ranks::Rank for Square {
    fn rank(&self) -> u32 {
        self.0 % 1000
    }
}

#[routine]
fn provided_of_another_module(a: u32) -> (u32, u32) {
    use imports::Rank;
    (Square(a).above(), ranks::hidden(Money(a)))
}

#[routine]
trait Applied {
    fn seed(&self) -> u32;

    fn apply(&self, f: impl Fn(u32) -> u32) -> u32 {
        f(self.seed()).wrapping_add(f(1))
    }

    fn all_of(&self, list: &[u32]) -> u32 {
        list.iter()
            .map(|x| self.apply(|y| x ^ y))
            .fold(0u32, |a, x| a.wrapping_mul(7) ^ x)
    }
}

#[routine]
impl Applied for Money {
    fn seed(&self) -> u32 {
        self.0
    }
}

#[routine]
fn provided_with_closure(a: u32, b: u32) -> (u32, u32) {
    (Money(a).apply(|x| x / 3 ^ b), Money(b).all_of(&[a, b, 3]))
}

#[derive(VmType, Clone, Copy, Debug)]
struct Pair<A, B> {
    left: A,
    right: B,
}

#[routine]
trait Sides {
    type Left: VmType;
    fn first(&self) -> Self::Left;

    fn both(&self) -> (Self::Left, Self::Left) {
        (self.first(), self.first())
    }

    fn sides(&self) -> u32 {
        2
    }
}

#[routine]
impl<A: VmType, B: Copy> Sides for Pair<A, B> {
    type Left = A;

    fn first(&self) -> A {
        self.left
    }
}

#[routine]
fn provided_for_generic_type(a: u32, b: f32) -> ((u32, u32), (f32, f32), u32) {
    let pair = Pair { left: a, right: b };
    let other = Pair {
        left: pair.right,
        right: pair.left,
    };
    (pair.both(), other.both(), other.sides())
}

#[routine]
fn provided_in_a_block(a: u32) -> (u32, u32) {
    #[routine]
    trait Local {
        fn own(&self) -> u32;
        fn more(&self) -> u32 {
            self.own() / 2 + 1
        }
    }
    #[derive(VmType, Clone, Copy)]
    struct Leaf(u32);
    #[derive(VmType, Clone, Copy)]
    struct Twig(u32);
    #[routine]
    impl Local for Leaf {
        fn own(&self) -> u32 {
            self.0
        }
    }
    #[routine]
    impl Local for Twig {
        fn own(&self) -> u32 {
            self.0 % 7
        }
        fn more(&self) -> u32 {
            9
        }
    }
    (Leaf(a).more(), Twig(a).more() + Twig(a).own())
}

#[routine]
trait Stepped {
    fn count_mut(&mut self) -> &mut u32;

    fn bump(&mut self) -> u32 {
        *self.count_mut() = self.count_mut().wrapping_add(1);
        *self.count_mut()
    }

    fn bumped(mut self, times: u32) -> Self
    where
        Self: Sized,
    {
        for _ in 0..times {
            self.bump();
        }
        self
    }
}

#[routine]
impl Stepped for Money {
    fn count_mut(&mut self) -> &mut u32 {
        &mut self.0
    }
}

#[routine]
fn provided_mutation(a: u32, b: u32) -> (u32, Money, Money) {
    let mut money = Money(a);
    let first = money.bump();
    money.bump();
    (first, money.bumped(b % 5), money)
}

#[routine]
trait Listed {
    fn list(&self) -> &[u32];

    fn front(&self, count: usize) -> &[u32] {
        let list = self.list();
        &list[..count.min(list.len())]
    }
}

#[derive(VmType, Clone, Copy)]
struct Few([u32; 4]);

#[routine]
impl Listed for Few {
    fn list(&self) -> &[u32] {
        &self.0[1..]
    }
}

#[routine]
fn provided_lends(a: u32, b: u32) -> (u32, usize) {
    let few = Few([a, b, a ^ b, 9]);
    let front = few.front((b % 5) as usize);
    (front.iter().fold(0, |sum, x| sum ^ x), front.len())
}

#[routine]
trait Number: Copy + std::ops::Add<Output = Self> + PartialOrd {
    fn sum_of(a: Self, b: Self) -> Self {
        if a < b { a + b } else { b + a + a }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Length(u32);

#[routine]
impl std::ops::Add for Length {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Length(self.0.wrapping_add(other.0))
    }
}

#[routine]
impl Number for Length {}

#[routine]
fn tripled<N: Number>(n: N) -> N {
    N::sum_of(n, n) + n
}

#[routine]
fn supertrait_operators(a: u32, b: u32) -> (Length, Length) {
    (Length::sum_of(Length(a), Length(b)), tripled(Length(a)))
}

#[routine]
trait Store<K, const N: usize> {
    type Entry: VmType;

    fn slot_of(&self, key: K) -> usize;

    fn entry(&self, key: K) -> Self::Entry;

    fn slots(&self, keys: [K; N]) -> [usize; N]
    where
        K: Copy,
    {
        let mut slots = [0; N];
        for (slot, key) in slots.iter_mut().zip(keys) {
            *slot = self.slot_of(key) + N;
        }
        slots
    }

    fn both(&self, key: K, other: K) -> (Self::Entry, bool)
    where
        K: PartialEq + Copy,
    {
        (self.entry(key), key == other)
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Table<V> {
    values: [V; 8],
}

#[routine]
impl<V: Copy> Store<u32, 3> for Table<V> {
    type Entry = V;

    fn slot_of(&self, key: u32) -> usize {
        (key % 8) as usize
    }

    fn entry(&self, key: u32) -> V {
        self.values[self.slot_of(key)]
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Ring<K> {
    first: K,
}

#[routine]
impl<K: Copy + PartialEq> Store<K, 2> for Ring<K> {
    type Entry = K;

    fn slot_of(&self, key: K) -> usize {
        usize::from(self.first == key)
    }

    fn entry(&self, key: K) -> K {
        if self.first == key { self.first } else { key }
    }
}

#[routine]
fn stored<S: Store<u32, 3>>(store: &S, key: u32) -> ([usize; 3], S::Entry, bool) {
    let (entry, same) = store.both(key, 5);
    (store.slots([key, 1, 2]), entry, same)
}

#[routine]
fn generic_trait(a: u32, b: f32) -> ([usize; 3], f32, bool) {
    let table = Table {
        values: [b, 1.0, 2.0, b + 1.0, 4.0, 5.0, -b, 7.0],
    };
    stored(&table, a)
}

#[routine]
fn generic_trait_default(a: u32, b: f32) -> ([usize; 2], (u32, bool), (f32, bool)) {
    let (ring, other) = (Ring { first: a % 4 }, Ring { first: b });
    (ring.slots([a, 2]), ring.both(a, 3), other.both(1.5, b))
}

#[routine]
fn method_by_type(list: [u32; 8]) -> (usize, Option<usize>) {
    let groups = |list| <[u32]>::split(list, |x: &u32| x % 3 == 0).filter(|group| !group.is_empty());
    (groups(&list).count(), <[u32]>::iter(&list).position(|x| x % 5 == 0))
}

#[routine]
trait Finder<'p>: Sized {
    fn of(pattern: &'p [u32]) -> Self;

    fn find_at(&self, list: &[u32], from: usize) -> Option<usize>;

    fn finds<'s, 'l>(&'s self, list: &'l [u32]) -> Finds<'s, 'l, Self> {
        Finds {
            finder: self,
            list,
            from: 0,
        }
    }

    fn first(&self, list: &[u32]) -> usize {
        self.finds(list).next().unwrap_or(list.len())
    }
}

#[derive(VmType, Clone, Copy)]
struct Finds<'s, 'l, S> {
    finder: &'s S,
    list: &'l [u32],
    from: usize,
}

#[routine]
impl<'p, S: Finder<'p>> Iterator for Finds<'_, '_, S> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let at = self.finder.find_at(self.list, self.from)?;
        self.from = at + 1;
        Some(at)
    }
}

#[derive(VmType, Clone, Copy)]
struct Exactly<'p> {
    pattern: &'p [u32],
}

#[derive(VmType, Clone, Copy)]
struct AnyOf<'p> {
    pattern: &'p [u32],
    greatest: u32,
}

#[routine]
impl<'p> Finder<'p> for Exactly<'p> {
    fn of(pattern: &'p [u32]) -> Self {
        Self { pattern }
    }

    fn find_at(&self, list: &[u32], from: usize) -> Option<usize> {
        (from..list.len()).find(|&at| list[at..].starts_with(self.pattern))
    }
}

#[routine]
impl<'p> Finder<'p> for AnyOf<'p> {
    fn of(pattern: &'p [u32]) -> Self {
        let greatest = pattern.iter().copied().max().unwrap_or(0);
        Self { pattern, greatest }
    }

    fn find_at(&self, list: &[u32], from: usize) -> Option<usize> {
        let at = list
            .get(from..)?
            .iter()
            .position(|x| *x <= self.greatest && self.pattern.contains(x))?;
        Some(from + at)
    }

    fn first(&self, list: &[u32]) -> usize {
        self.find_at(list, 0).unwrap_or(1000)
    }
}

#[routine]
fn found<'p, S: Finder<'p>>(pattern: &'p [u32], list: &[u32]) -> (usize, usize, usize) {
    let finder = S::of(pattern);
    (
        finder.first(list),
        finder.finds(list).count(),
        finder.finds(list).map(|at| at + 1).sum(),
    )
}

#[routine]
fn trait_with_lifetime(list: [u32; 8], n: u32) -> ((usize, usize, usize), (usize, usize, usize)) {
    let small = list.map(|x| x % 3);
    let pattern = [n % 3, (n >> 2) % 3];
    (
        found::<Exactly>(&pattern[(n >> 4 & 1) as usize..], &small),
        found::<AnyOf>(&pattern[(n >> 5 & 1) as usize..], &small),
    )
}

#[derive(VmType, Clone, Copy)]
struct Window<'a, T, const N: usize> {
    all: &'a Table<T>,
    places: [usize; N],
}

#[routine]
impl<'a, T: Copy, const N: usize> Window<'a, T, N> {
    fn new(all: &'a Table<T>, places: [usize; N]) -> Self {
        Window { all, places }
    }

    fn get(&self, i: usize) -> T {
        self.all.values[self.places[i % N] % 8]
    }
}

#[routine]
fn borrowed_parameter(list: [u32; 8], n: u32) -> (u32, f32) {
    let table = Table { values: list };
    let floats = Table {
        values: list.map(|x| x as f32),
    };
    let window = Window::new(&table, [1, 4, n as usize % 8]);
    (window.get(n as usize), Window::new(&floats, [n as usize % 8]).get(0))
}
