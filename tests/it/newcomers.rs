//! Single features of core's API, as somebody writes them who knows Rust and nothing of gpuvm.

use std::array::from_fn;
use std::cmp::Ordering;
use std::iter::zip;
use std::marker::PhantomData;
use std::num::{FpCategory, NonZero, NonZeroI32, NonZeroU32, Saturating};
use std::ops::{
    Add, AddAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, Range, RangeFrom, RangeInclusive, ShlAssign,
    SubAssign,
};

use gpuvm::prelude::*;

cases! {
    flat_from_behind, flat_from_both_ends, flat_with_closures, traits_by_path, operators_by_path, compared_with_references, parts_into_arrays, functions_by_path,
    sizes, non_zeros, signed_non_zeros, saturated, results_as_iterators, rests_of_iterators, lists_of_references, disjoint, array_windows,
    strict, carried, kinds_of_floats, pairs_and_arrays, into_characters, equal_ranges, tagged,
    returns_of_closures, returns_through_aliases, constants_of_generics, own_expect, constant_macros, capital_names, own_methods_of_numbers, own_methods_of_operators,
    imported_by_name, named_as_in_the_prelude, ordered_with_numbers, parsed_by_path, returns_of_floats,
    methods_of_parameters, ranges_into_types, functions_in_capitals, limits_as_functions,
    assigned_by_method, iterators_in_pairs, own_wrapping, capitals_as_values,
}

#[routine]
fn flat_from_behind(a: u32, list: [u32; 8]) -> (u32, u32, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    let made = xs.iter().flat_map(|&x| 0..x % 4).rev();
    let grid = [[a, 2], [3, a], [5, 6]];
    (
        made.fold(a, |h, x| h.wrapping_mul(5) ^ x),
        grid.iter().flatten().rev().fold(1, |h: u32, x| h.wrapping_mul(31) ^ x),
        xs.iter().flat_map(|&x| [x, x ^ 1]).rfind(|x| x % 3 == a % 3),
    )
}

/// What is left in the middle belongs to both ends.
#[routine]
fn flat_from_both_ends(a: u32, list: [u32; 8]) -> (u32, u32) {
    let xs = &list[..(list[0] % 4) as usize];
    let mut made = xs.iter().flat_map(|&x| x % 7..x % 7 + x % 5);
    let (mut front, mut back) = (1u32, 1u32);
    for i in 0..20 {
        if (a >> i) % 2 == 0 {
            if let Some(x) = made.next() {
                front = front.wrapping_mul(31) ^ x;
            }
        } else if let Some(x) = made.next_back() {
            back = back.wrapping_mul(31) ^ x;
        }
    }
    (front, back)
}

#[routine]
fn flat_with_closures(a: u32, list: [u32; 8]) -> (u32, u32) {
    let xs = &list[..(list[0] % 4) as usize];
    let mut made = xs.iter().flat_map(|&x| (0..x % 5).map(move |y| x.wrapping_mul(y) ^ a));
    let (mut front, mut back) = (1u32, 1u32);
    for i in 0..20 {
        if (a >> i) % 2 == 0 {
            front = front.wrapping_mul(31) ^ made.next().unwrap_or(7);
        } else {
            back = back.wrapping_mul(31) ^ made.next_back().unwrap_or(9);
        }
    }
    (front, back)
}

#[routine]
fn traits_by_path(a: u32, b: u32, list: [u32; 8]) -> (u32, u32, Ordering, bool, u64) {
    let summed = Iterator::fold(list.iter(), 0, |h: u32, x| h ^ x);
    let most = Iterator::max(Iterator::map(list.iter(), |x| x ^ a)).unwrap_or(0);
    (
        summed,
        Ord::max(a, b),
        Ord::cmp(&a, &most),
        PartialEq::eq(&a, &b),
        Into::<u64>::into(a),
    )
}

#[routine]
fn operators_by_path(a: u32, b: u32) -> (u32, u32, bool, u32) {
    use std::ops::{BitXor, Not};
    let mut c = a;
    std::ops::BitOrAssign::bitor_assign(&mut c, b);
    (std::ops::BitAnd::bitand(a, b), a.bitxor(b), (a > b).not(), c)
}

#[routine]
fn compared_with_references(a: u32, b: u32, list: [u32; 8]) -> (bool, bool, bool, Ordering, Option<Ordering>) {
    let other = [a, b];
    let xs = &list[..(list[0] % 3) as usize];
    (
        xs.iter().eq(&other),
        xs.iter().ne(&other),
        xs.iter().lt(&other),
        xs.iter().cmp(&other),
        xs.iter().partial_cmp(&list),
    )
}

#[routine]
fn parts_into_arrays(list: [u32; 8]) -> (u32, u64, bool, u32) {
    let three: [u32; 3] = list[1..4].try_into().unwrap();
    let bytes = [1u8, 2, 3, 4, 5, 6, 7, list[0] as u8];
    let few: Result<[u32; 3], _> = list[..(list[0] % 9) as usize].try_into();
    let two: &[u32; 2] = list[2..4].try_into().unwrap();
    (
        three[0] ^ three[2],
        u64::from_le_bytes(bytes[..8].try_into().unwrap()),
        few.is_ok(),
        two[1],
    )
}

#[routine]
fn functions_by_path(a: u32, b: u32, list: [u32; 8]) -> (u32, u32, u32, u32, u32, usize) {
    use std::{cmp, iter, slice};
    (
        cmp::max_by(a, b, |x, y| (x % 8).cmp(&(y % 8))),
        cmp::min_by_key(a, b, |x| x % 4),
        iter::zip(&list, [a, b, 3]).fold(0, |h, (x, y)| h ^ x.wrapping_mul(y)),
        iter::chain(list, [a]).fold(0, |h: u32, x| h.rotate_left(3) ^ x),
        std::hint::black_box(a) ^ std::convert::identity(b) ^ std::array::from_ref(&a)[0],
        slice::from_ref(&a).len(),
    )
}

#[routine]
fn sizes(a: u32) -> (usize, usize) {
    (
        size_of::<u64>() + std::mem::size_of::<[u32; 3]>(),
        align_of::<u16>() + a as usize % 2,
    )
}

#[routine]
fn non_zeros(a: u32, b: u32) -> (u32, u32, Option<NonZeroU32>, NonZeroU32, [u32; 4], bool) {
    let n = NonZeroU32::try_from(a).unwrap_or(NonZeroU32::MIN);
    let mut set = n;
    set |= b;
    (
        b / n,
        b % n,
        n.checked_pow(3),
        n.saturating_mul(n) | 4,
        [n.ilog2(), n.isqrt().get(), n.count_ones().get(), set.get()],
        n.is_power_of_two(),
    )
}

#[routine]
fn signed_non_zeros(a: i32) -> (i32, u32, bool, Option<NonZero<i32>>, (NonZero<i32>, bool)) {
    let n = NonZeroI32::new(a).unwrap_or(NonZeroI32::MIN);
    (
        n.wrapping_abs().get(),
        n.unsigned_abs().get(),
        n.is_negative(),
        n.checked_neg(),
        n.overflowing_abs(),
    )
}

#[routine]
fn saturated(a: i32, b: i32) -> (Saturating<i32>, Saturating<i32>, i32, i32) {
    let x = Saturating(a);
    let mut y = x;
    y += b;
    y ^= 5;
    (x.pow(3), x.abs(), y.0, (-x).0)
}

#[routine]
fn results_as_iterators(a: u32, b: u32) -> (u32, usize, Option<u32>, Option<u32>) {
    let mut r = a.checked_sub(b).ok_or(b);
    let mut sum = 0;
    for x in &r {
        sum ^= x;
    }
    for x in r.iter_mut() {
        *x ^= 1;
    }
    let at_most_one = Option::from(a).as_slice().len() + Some(b).filter(|x| x % 2 == 0).as_slice().len();
    (sum, at_most_one, r.into_iter().next(), a.into())
}

#[routine]
fn rests_of_iterators(a: u32, list: [u32; 8]) -> (usize, u32, [u32; 8]) {
    let mut it = list.iter();
    it.nth(a as usize % 8);
    let mut values = list.into_iter();
    values.next_back();
    let mut changed = list;
    let mut places = changed.iter_mut();
    places.next();
    places.into_slice()[0] = a;
    (it.as_slice().len(), values.as_slice()[6], changed)
}

#[routine]
fn lists_of_references(a: u32, list: [u32; 8]) -> (u32, [u32; 8]) {
    let mut changed = list;
    for x in changed.each_mut() {
        *x ^= a;
    }
    let refs = list.each_ref();
    (*refs[0] ^ *refs[7], changed)
}

#[routine]
fn disjoint(a: u32, b: u32, list: [u32; 8]) -> (u32, [u32; 8]) {
    let mut changed = list;
    let told = match changed.get_disjoint_mut([a as usize % 10, b as usize % 10]) {
        Ok([x, y]) => {
            std::mem::swap(x, y);
            0
        }
        Err(std::slice::GetDisjointMutError::IndexOutOfBounds) => 1,
        Err(std::slice::GetDisjointMutError::OverlappingIndices) => 2,
    };
    (told, changed)
}

#[routine]
fn array_windows(list: [u32; 8]) -> (u32, usize) {
    let xs = &list[..(list[0] % 9) as usize];
    let crossed = xs
        .array_windows::<2>()
        .map(|[x, y]| x ^ y)
        .fold(0, |h: u32, x| h.rotate_left(3) ^ x);
    (
        crossed,
        xs.array_windows().rev().filter(|[x, y, z]| x < y && y > z).count(),
    )
}

#[routine]
fn strict(a: u32, b: u32, c: i32) -> (u32, u32, i32, u32) {
    (
        (a >> 1).strict_add(b >> 1),
        (a % 65536).strict_mul(b % 65536),
        (c >> 1).strict_neg(),
        a.strict_shl(b % 32),
    )
}

#[routine]
fn carried(a: u32, b: u64) -> ((u32, u32), (u64, u64), (u8, u8)) {
    (
        a.carrying_mul(b as u32, a),
        b.carrying_mul_add(b, u64::MAX, b),
        (a as u8).carrying_mul(b as u8, 255),
    )
}

#[routine]
fn kinds_of_floats(a: f32, b: f64) -> (FpCategory, u32, bool) {
    let told = match b.classify() {
        FpCategory::Normal => 1,
        FpCategory::Zero => 2,
        _ => 3,
    };
    (a.classify(), told, a.classify() == FpCategory::Nan)
}

#[routine]
fn pairs_and_arrays(a: u32, b: u32) -> ((u32, u32), [u32; 3]) {
    let pair: (u32, u32) = [a, b].into();
    (pair, (b, a, 3).into())
}

#[routine]
fn into_characters(a: u32) -> (Option<char>, bool, Option<u8>) {
    let c = char::try_from(a % 0x11_8000);
    (c.ok(), c.is_err(), u8::try_from(c.unwrap_or('é')).ok())
}

#[routine]
fn equal_ranges(a: u32, b: u32) -> (bool, bool, bool) {
    (
        (a % 2..b % 2) == (b % 2..a % 2),
        (a..=b) != (a..=3),
        (..a % 2) == (..b % 2),
    )
}

#[derive(VmType, Clone, Copy)]
struct Tagged<T: Copy + Send + Sync + 'static> {
    value: u32,
    of: PhantomData<T>,
}

#[routine]
fn tagged(a: u32) -> u32 {
    let metres: Tagged<f32> = Tagged {
        value: a,
        of: PhantomData,
    };
    let again = metres;
    again.value ^ 1
}

/// What decides a literal's type is what else the closure returns, further behind.
#[routine]
fn returns_of_closures(a: u64, b: i64, i: u32) -> (u64, i64, [u64; 4], Option<u64>, u64) {
    let i = i % 5;
    let plain = |i: u32| {
        if i < 3 {
            return 0;
        }
        a
    };
    let negative = |i: u32| {
        if i < 3 {
            return -1;
        }
        b
    };
    let list: [u64; 4] = from_fn(|k| {
        if k as u32 == i {
            return 7;
        }
        a ^ k as u64
    });
    let inside = Some(i).map(|i| {
        if i > 3 {
            return 1;
        }
        a >> i
    });
    let left = |k: u32| {
        if k == 0 {
            return 1 + 1;
        }
        loop {
            if k > 2 {
                break 5;
            }
            return a;
        }
    };
    (plain(i), negative(i), list, inside, left(i))
}

type Long = u64;

#[routine]
fn early(f: impl Fn(u32) -> u64, x: u32) -> Long {
    if x == 0 {
        return 0;
    }
    f(x)
}

#[routine]
fn late(f: impl Fn(u32) -> u64, x: u32) -> Long {
    if x > 2 {
        return f(x);
    }
    3
}

#[routine]
fn never_called(_: impl Fn(u32) -> u64) -> Long {
    7
}

#[routine]
fn returns_through_aliases(a: u64, i: u32) -> (u64, u64, u64) {
    let i = i % 5;
    (
        early(|x| a ^ u64::from(x), i),
        late(|x| a ^ u64::from(x), i) ^ a,
        never_called(|x| a ^ u64::from(x)) | a,
    )
}

#[derive(VmType, Clone, Copy)]
struct Measured<U> {
    value: f32,
    unit: PhantomData<U>,
}

#[derive(Clone, Copy)]
struct Metres;

const LENGTH: Measured<Metres> = Measured {
    value: 2.5,
    unit: PhantomData,
};

#[routine]
fn constants_of_generics(x: f32) -> (f32, f32) {
    const HALF: Measured<u32> = Measured {
        value: 0.5,
        unit: PhantomData,
    };
    (x + HALF.value, x * LENGTH.value)
}

#[derive(VmType, Clone, Copy, Default)]
struct Reader {
    at: u32,
    seen: Option<u32>,
}

#[routine]
impl Reader {
    fn expect(&mut self, text: &str) -> Result<(), u32> {
        self.at += text.len() as u32;
        if self.at > 9 { Err(self.at) } else { Ok(()) }
    }

    fn run(&mut self, x: u32) -> Result<u32, u32> {
        self.expect("let")?;
        if x % 3 == 0 {
            self.expect("mutable")?;
        }
        self.seen = Some(x / 2);
        Ok(self.seen.expect("it was seen") + self.at)
    }
}

#[routine]
fn own_expect(x: u32) -> (Result<u32, u32>, bool, u32) {
    let mut reader = Reader::default();
    let ran = reader.run(x);
    let there = if x == 7 { None } else { Some(x) };
    (ran, reader.expect("if").is_ok(), there.expect("it is not seven"))
}

macro_rules! signals {
    ($($name:ident),*) => {
        #[derive(VmType, Clone, Copy)]
        enum Signals {
            $($name),*
        }

        #[routine]
        impl Signals {
            fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name)),*
                }
            }
        }
    };
}

signals!(Stop, Wait, Go);

#[routine]
fn constant_macros(x: u32) -> (usize, u8, u32, bool) {
    let signal = match x % 3 {
        0 => Signals::Stop,
        1 => Signals::Wait,
        _ => Signals::Go,
    };
    let text = concat!("ab", 12, stringify!(x + 1), ' ', 2.5);
    (
        signal.name().len(),
        text.as_bytes()[x as usize % text.len()],
        line!(),
        file!().ends_with("newcomers.rs"),
    )
}

#[allow(non_snake_case)]
#[routine]
fn capital_names(x: u32) -> u32 {
    let K: u32 = 4;
    let DT = 3;
    let (M, N) = (x % 100, 2u32);
    let mut T = 0;
    for I in 0..3 {
        T += I * M;
    }
    let g = |Q: u32| Q ^ N;
    g(x) ^ (K + DT + T)
}

#[derive(VmType, Clone, Copy)]
struct Journal {
    events: [u8; 8],
    len: usize,
    weight: f32,
}

#[derive(VmType, Clone, Copy)]
struct Keeper {
    journal: Journal,
    sum: f32,
}

/// Numbers have methods of all these names, which take them by value.
#[routine]
impl Journal {
    fn log(&mut self, event: u8) {
        self.events[self.len % 8] = event;
        self.len += 1;
    }

    fn exp(&mut self) -> Result<u8, u8> {
        self.log(1);
        self.weight = self.weight.abs().log(2.0);
        if self.len > 4 {
            return Err(3);
        }
        Ok(2)
    }

    fn pow(&mut self) -> u8 {
        self.len += 1;
        self.exp().unwrap_or(7)
    }
}

#[routine]
impl Keeper {
    fn keep(&mut self, x: u32) -> Result<u8, u8> {
        self.journal.log(x as u8);
        match x % 4 {
            0 => self.journal.log(9),
            1 => {
                self.journal.log(3);
            }
            _ => {}
        }
        let got = self.journal.exp()?;
        self.sum = self.sum.log(3.0).exp();
        Ok(got + self.journal.pow() + 2u8.pow(x % 3))
    }
}

#[routine]
fn own_methods_of_numbers(x: u32, weight: f32) -> (u8, f32, f32, u64) {
    let mut journal = Journal {
        events: [0; 8],
        len: 0,
        weight,
    };
    journal.log(x as u8);
    let mut keeper = Keeper { journal, sum: weight };
    let kept = keeper.keep(x);
    (
        kept.unwrap_or_else(|error| error * 2),
        keeper.sum,
        keeper.journal.weight,
        u64::from_le_bytes(keeper.journal.events),
    )
}

#[derive(VmType, Clone, Copy)]
struct Sum {
    count: u32,
    total: f64,
}

#[routine]
impl Sum {
    fn add(&mut self, x: f64) {
        self.count += 1;
        self.total += x;
    }

    fn shl(&mut self, by: u32) -> u32 {
        self.count <<= by;
        self.count
    }
}

#[derive(VmType, Clone, Copy)]
struct Turn(u32);

#[routine]
impl Add for Turn {
    type Output = Turn;

    fn add(self, other: Turn) -> Turn {
        Turn((self.0 + other.0) % 360)
    }
}

#[routine]
fn twice(x: f64) -> f64 {
    x * 2.0
}

/// Those that change their receiver do, whatever their arguments compute; operators have it as it was before these.
#[routine]
fn own_methods_of_operators(x: u32) -> (u32, f64, u32, u32, u32) {
    let mut sum = Sum { count: 0, total: 0.0 };
    sum.add(twice(f64::from(x)));
    sum.add(f64::from(x).sqrt() * 2.0);
    sum.add([x, 2].iter().map(|x| f64::from(*x)).sum());
    let moved = sum.shl(x.count_ones() % 4);
    let mut turn = Turn(x % 360);
    let turned = turn.add({
        turn.0 = 5;
        turn
    });
    let mut n = x % 1000;
    let added = n.add({
        n += 1;
        n
    });
    (sum.count, sum.total, moved, turned.0, added)
}

#[routine]
fn imported_by_name(x: u32, y: u32) -> (u32, [u32; 4]) {
    let list = [x % 100, 2, 3];
    let mut doubled = [0u32; 3];
    for (to, from) in zip(doubled.iter_mut(), &list) {
        *to = from * 2;
    }
    let products = zip(doubled, [1u32, 1, y % 100]).map(|(a, b)| a * b);
    (products.sum(), from_fn(|i| (i as u32) ^ y))
}

#[derive(VmType, Clone, Copy)]
struct Weight(f64);

#[routine]
impl PartialEq<f64> for Weight {
    fn eq(&self, other: &f64) -> bool {
        self.0 == *other
    }
}

/// std's prelude has all of these names.
mod prelude_names {
    use gpuvm::prelude::*;

    #[derive(VmType, Clone, Copy)]
    pub struct Vec(pub f32, pub f32);

    #[routine]
    impl Vec {
        pub fn zero() -> Self {
            Vec(0.0, 1.0)
        }

        pub fn len(&self) -> f32 {
            self.0 + self.1
        }
    }

    #[derive(VmType, Clone, Copy)]
    pub struct Box {
        pub least: f32,
        pub most: f32,
    }

    #[routine]
    impl Box {
        pub fn new(least: f32, most: f32) -> Box {
            Box { least, most }
        }
    }

    #[routine]
    pub fn drop(x: u32) -> u32 {
        x / 2
    }

    #[routine]
    pub fn all(x: u32, y: f32) -> (f32, f32, u32) {
        let zero = Vec::zero();
        let bounds = Box::new(1.0, y);
        (zero.len() + y, bounds.most - bounds.least, drop(x) ^ 1)
    }
}

#[routine]
fn named_as_in_the_prelude(x: u32, y: f32) -> (f32, f32, u32) {
    prelude_names::all(x, y)
}

#[derive(VmType, Clone, Copy, PartialEq, PartialOrd)]
struct Money(i64);

#[routine]
impl PartialEq<i64> for Money {
    fn eq(&self, other: &i64) -> bool {
        self.0 == *other
    }
}

#[routine]
impl PartialOrd<i64> for Money {
    fn partial_cmp(&self, other: &i64) -> Option<Ordering> {
        self.0.partial_cmp(other)
    }
}

#[routine]
fn ordered_with_numbers(a: i64, b: i64) -> ([bool; 8], Option<Ordering>, bool) {
    let (mine, yours) = (Money(a), Money(b));
    (
        [
            mine > b,
            mine >= b,
            mine < b,
            mine <= b,
            mine == b,
            mine != 3,
            mine < yours,
            Money(a % 5) > 3,
        ],
        mine.partial_cmp(&b),
        Weight((a % 4) as f64) == 2.0,
    )
}

#[routine]
fn parsed_by_path(x: u32) -> (Result<u32, bool>, Option<u32>) {
    let text = match x % 3 {
        0 => " 12 ",
        1 => "7",
        _ => "x",
    };
    (
        str::parse::<u32>(text).map_err(|_| x > 5),
        Some(text)
            .map(str::trim)
            .map(str::parse::<u32>)
            .and_then(|parsed| parsed.ok()),
    )
}

#[routine]
fn picked<T>(f: impl Fn() -> T) -> T {
    f()
}

#[routine]
fn returns_of_floats(w: u64, x: u32) -> (f32, [f32; 2], f64, u64, i64, u64) {
    let x = x % 7;
    let single = |k: u32| {
        if k > 3 {
            return 0.1;
        }
        k as f32
    };
    let list = [1u32, 2].map(|k| {
        if k == 1 {
            return 0.3;
        }
        (k + x) as f32
    });
    let double = |k: u32| {
        if k > 3 {
            return (w >> 11) as f64;
        }
        2.25
    };
    let given = picked(|| {
        if x % 3 == 0 {
            return 0;
        }
        w
    });
    let matched = |k: u32| match k % 3 {
        0 => {
            return -7;
        }
        1 => w as i64,
        _ => 1,
    };
    let unless = |k: Option<u64>| {
        let Some(k) = k else { return 0 };
        k ^ w
    };
    (
        single(x),
        list,
        double(x),
        given,
        matched(x),
        unless(None) ^ unless((x > 2).then_some(3)),
    )
}

#[routine]
trait Weigh {
    fn weigh(&self) -> u32;
    fn turn(self, by: u32) -> u32;
    fn made(x: u32) -> Self;
}

#[routine]
impl Weigh for u8 {
    fn weigh(&self) -> u32 {
        u32::from(*self)
    }

    fn turn(self, by: u32) -> u32 {
        u32::from(self).wrapping_mul(by)
    }

    fn made(x: u32) -> u8 {
        x as u8
    }
}

#[routine]
fn weighed<T: Weigh + Copy>(all: &[T]) -> (u32, u32, u32) {
    (
        all.iter().map(T::weigh).sum(),
        all.iter().copied().fold(1, |by, one| T::turn(one, by)),
        [3u32, 400].map(T::made).iter().map(T::weigh).sum(),
    )
}

#[routine]
fn methods_of_parameters(a: u32, b: u32) -> (u32, u32, u32) {
    weighed(&[a as u8, 3, b as u8])
}

#[derive(VmType, Clone, Copy, Debug)]
struct Interval {
    least: u32,
    end: u32,
}

#[routine]
impl From<Range<u32>> for Interval {
    fn from(range: Range<u32>) -> Self {
        Interval {
            least: range.start,
            end: range.end,
        }
    }
}

#[routine]
impl From<RangeInclusive<u32>> for Interval {
    fn from(range: RangeInclusive<u32>) -> Self {
        Interval {
            least: *range.start(),
            end: range.end().wrapping_add(1),
        }
    }
}

#[routine]
impl TryFrom<RangeFrom<u32>> for Interval {
    type Error = u32;

    fn try_from(range: RangeFrom<u32>) -> Result<Self, u32> {
        match range.start {
            start @ 4.. => Err(start),
            least => Ok(Interval { least, end: u32::MAX }),
        }
    }
}

#[routine]
fn ranges_into_types(a: u32, b: u32) -> (Interval, Interval, Result<Interval, u32>) {
    (Interval::from(a..b), (b..=a).into(), Interval::try_from(a % 9..))
}

/// As num_traits' `FloatConst` has them.
#[allow(non_snake_case)]
#[routine]
trait Circle {
    fn PI() -> Self;
    fn TWICE(self) -> Self;
}

#[routine]
impl Circle for f32 {
    fn PI() -> f32 {
        std::f32::consts::PI
    }

    fn TWICE(self) -> f32 {
        self * 2.0
    }
}

#[routine]
fn of_circles<F: Circle>(x: F) -> (F, F, F) {
    (F::PI(), <F as Circle>::PI(), F::TWICE(x))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Operation {
    ADD(u32),
    NOP,
}

#[allow(non_snake_case)]
#[routine]
impl Operation {
    fn FIRST() -> Self {
        Operation::ADD(3)
    }

    fn Cost(self) -> u32 {
        match self {
            Operation::ADD(x) => x,
            Operation::NOP => 0,
        }
    }
}

#[allow(non_snake_case)]
#[routine]
fn TIMES(a: u32, b: u32) -> u32 {
    a.wrapping_mul(b)
}

#[routine]
fn functions_in_capitals(a: u32, x: f32) -> ((f32, f32, f32), f32, [Operation; 3], u32) {
    let operations = [Operation::FIRST(), Operation::NOP, Operation::ADD(a)];
    let cost = operations.iter().map(|operation| operation.Cost() % 100).sum::<u32>();
    (
        of_circles(x),
        f32::PI(),
        operations,
        TIMES(a, cost) ^ Operation::Cost(operations[2]),
    )
}

#[allow(deprecated)]
#[routine]
fn limits_as_functions(a: i64) -> (i32, u8, i64, u128, usize) {
    let least = i64::min_value();
    (
        i32::max_value(),
        u8::max_value(),
        if a < 0 { least } else { a },
        u128::max_value(),
        usize::min_value(),
    )
}

/// As glam's `Vec3` is written.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Force {
    x: f32,
    n: u32,
}

#[routine]
impl AddAssign for Force {
    fn add_assign(&mut self, other: Self) {
        self.x.add_assign(other.x);
        self.n.bitxor_assign(other.n);
    }
}

#[routine]
impl AddAssign<&Force> for Force {
    fn add_assign(&mut self, other: &Force) {
        self.add_assign(*other);
    }
}

#[routine]
impl MulAssign<f32> for Force {
    fn mul_assign(&mut self, by: f32) {
        self.x.mul_assign(by);
        let n = &mut self.n;
        n.shl_assign(1);
    }
}

#[routine]
fn assigned_by_method(x: f32, n: u32) -> (Force, [u32; 2], f32) {
    let mut force = Force { x, n };
    force.add_assign(Force { x: 1.5, n: 3 });
    force.add_assign(&Force { x, n: 5 });
    force.mul_assign(0.5);
    let mut pair = [n, 7];
    {
        let [first, last] = &mut pair;
        first.bitor_assign(*last);
        last.sub_assign(n % 7);
    }
    let mut sum = x;
    sum.div_assign(3.0);
    (force, pair, sum)
}

/// As strsim compares what is iterated over.
#[routine]
fn differing<A, B>(a: A, b: B) -> u32
where
    A: IntoIterator<Item = u32>,
    B: IntoIterator<Item = u32>,
{
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    let mut count = 0;
    loop {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) => count += u32::from(x != y),
            (None, None) => return count,
            _ => return count + 100,
        }
    }
}

#[routine]
fn iterators_in_pairs(list: [u32; 6], n: u32) -> (u32, u32, u32) {
    let (mut low, mut all) = (list.iter().map(|x| x % n.max(1)), list.iter());
    let both = low.next().unwrap_or(0) ^ all.next_back().map_or(1, |x| x / 2) ^ low.sum::<u32>();
    (
        differing(list.iter().map(|x| x % 3), 0..4 + n % 3),
        differing(list, list.iter().copied().filter(|x| x % 2 == n % 2)),
        both,
    )
}

mod with_own_wrapping {
    use gpuvm::prelude::*;

    #[derive(VmType, Clone, Copy, Debug, PartialEq)]
    pub struct Wrapping(pub u32);

    #[routine]
    impl std::ops::Add for Wrapping {
        type Output = u32;

        fn add(self, other: Wrapping) -> u32 {
            self.0 ^ other.0
        }
    }
}

#[routine]
fn own_wrapping(a: u32) -> u32 {
    with_own_wrapping::Wrapping(a) + with_own_wrapping::Wrapping(3)
}

#[allow(non_snake_case)]
#[routine]
impl Interval {
    fn From(least: u32) -> Self {
        Interval { least, end: 9 }
    }
}

#[routine]
fn capitals_as_values(a: u32, b: u32) -> ([Interval; 2], Option<u32>) {
    ([a, b].map(Interval::From), Some(a).map(|x| TIMES(x, b)))
}
