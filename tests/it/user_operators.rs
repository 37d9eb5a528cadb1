//! Operators of users' types in expressions where nothing but a constant, a function or a type of one letter tells that they are about, and comparisons
//! of what std's types hold.

use std::cmp::Ordering;
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXorAssign, Div, Index, IndexMut, Mul, Neg, Not, Rem, Shl, ShlAssign, Shr, Sub,
};

use gpuvm::prelude::*;

cases! {
    unary_of_a_call, mixed_in_one_expression, of_constants, of_results, results_of_other_types, assigning, in_closures, compared_with_numbers, indexed,
    in_macros, of_bools, slices_in_values, views, units, by_their_methods, methods_of_such_names, compared_by_forms,
    functions_named_from,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct N(u32);

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct V(u32, u32);

const SEVEN: N = N(7);
const ORIGIN: V = V(1, 2);
const TABLE: [N; 3] = [N(1), N(2), N(3)];

#[routine]
impl Neg for N {
    type Output = N;
    fn neg(self) -> N {
        N(self.0.wrapping_neg())
    }
}

#[routine]
impl Not for N {
    type Output = bool;
    fn not(self) -> bool {
        self.0 == 0
    }
}

#[routine]
impl Add for N {
    type Output = N;
    fn add(self, other: N) -> N {
        N(self.0.wrapping_add(other.0))
    }
}

#[routine]
impl Sub<u32> for N {
    type Output = N;
    fn sub(self, other: u32) -> N {
        N(self.0.wrapping_sub(other))
    }
}

#[routine]
impl Mul<N> for u32 {
    type Output = N;
    fn mul(self, other: N) -> N {
        N(self.wrapping_mul(other.0))
    }
}

#[routine]
impl Rem<u32> for N {
    type Output = u32;
    fn rem(self, other: u32) -> u32 {
        self.0 % other
    }
}

#[routine]
impl BitAnd<u32> for N {
    type Output = N;
    fn bitand(self, other: u32) -> N {
        N(self.0 & other)
    }
}

#[routine]
impl BitOr<N> for u32 {
    type Output = N;
    fn bitor(self, other: N) -> N {
        N(self | other.0)
    }
}

#[routine]
impl Shl<u32> for N {
    type Output = N;
    fn shl(self, by: u32) -> N {
        N(self.0 << (by & 31))
    }
}

#[routine]
impl Shl<V> for N {
    type Output = V;
    fn shl(self, by: V) -> V {
        V(self.0, by.0)
    }
}

#[routine]
impl Shr<usize> for N {
    type Output = u32;
    fn shr(self, by: usize) -> u32 {
        self.0 >> by
    }
}

#[routine]
impl AddAssign<u32> for N {
    fn add_assign(&mut self, other: u32) {
        self.0 = self.0.wrapping_add(other);
    }
}

#[routine]
impl BitXorAssign for N {
    fn bitxor_assign(&mut self, other: N) {
        self.0 ^= other.0;
    }
}

#[routine]
impl ShlAssign<u32> for N {
    fn shl_assign(&mut self, by: u32) {
        self.0 <<= by & 7;
    }
}

#[routine]
impl PartialEq<u32> for N {
    fn eq(&self, other: &u32) -> bool {
        self.0 == *other
    }
}

#[routine]
impl PartialOrd<u32> for N {
    fn partial_cmp(&self, other: &u32) -> Option<Ordering> {
        self.0.partial_cmp(other)
    }
}

#[routine]
impl Neg for &V {
    type Output = V;
    fn neg(self) -> V {
        V(self.1, self.0)
    }
}

#[routine]
impl Not for V {
    type Output = Option<N>;
    fn not(self) -> Option<N> {
        (self.0 > self.1).then_some(N(self.0))
    }
}

#[routine]
impl Mul<f32> for V {
    type Output = f32;
    fn mul(self, by: f32) -> f32 {
        self.0 as f32 * by
    }
}

#[routine]
impl Div for V {
    type Output = (u32, u32);
    fn div(self, by: V) -> (u32, u32) {
        (self.0 / (by.0 | 1), self.1 / (by.1 | 1))
    }
}

#[routine]
impl Index<usize> for V {
    type Output = u32;
    fn index(&self, i: usize) -> &u32 {
        if i == 0 { &self.0 } else { &self.1 }
    }
}

#[routine]
impl IndexMut<usize> for V {
    fn index_mut(&mut self, i: usize) -> &mut u32 {
        if i == 0 { &mut self.0 } else { &mut self.1 }
    }
}

#[routine]
fn make(x: u32) -> N {
    N(x)
}

#[routine]
fn pair(x: u32) -> (N, V) {
    (N(x), V(x, 9))
}

#[routine]
fn unary_of_a_call(x: u32) -> (u32, bool) {
    let n = make(x);
    let m = -n;
    (m.0 ^ (-make(3)).0, !n)
}

#[routine]
fn mixed_in_one_expression(x: u32) -> (u32, u32, u32, u32) {
    let n = N(x);
    ((-n).0, (n << 3).0 ^ n % 7, (5 | n + n).0, (3 * n - 1 & 0xffff).0)
}

#[routine]
fn of_constants(x: u32) -> u32 {
    (-SEVEN).0 ^ SEVEN % 4 ^ (TABLE[(x % 3) as usize] + SEVEN).0
}

#[routine]
fn of_results(x: u32) -> (u32, u32) {
    let (n, v) = pair(x);
    let w = -&v;
    let shifted = n << w;
    (if !n { 3 } else { w.0 }, shifted.0 ^ shifted.1)
}

#[routine]
fn results_of_other_types(x: u32, y: u32) -> (f32, (u32, u32), Option<N>, u32) {
    let v = V(x, y);
    (v * 2.5 + 1.0 - v * 0.5, v / ORIGIN, !v, make(x) >> 3usize)
}

#[routine]
fn assigning(x: u32) -> u32 {
    let mut n = SEVEN;
    for m in [make(x), -make(x), SEVEN] {
        n = n + m;
        n ^= m;
        n += 3;
        n <<= 2;
    }
    n.0
}

#[routine]
fn in_closures(x: u32) -> (u32, u32) {
    let add = |n: N| n + SEVEN;
    let folded = TABLE.iter().map(|n| (*n + make(x)).0 % 100).fold(0u32, |a, b| a ^ b);
    (add(make(x)).0 ^ add(-make(x)).0, folded)
}

#[routine]
fn compared_with_numbers(x: u32) -> (bool, bool, bool) {
    let n = make(x);
    (n == 3u32 || n > 1_000_000u32, n == SEVEN || n <= SEVEN, 3u32 == n.0)
}

#[routine]
fn indexed(x: u32) -> (u32, u32) {
    let mut v = ORIGIN;
    v[0] = v[0].wrapping_add(x);
    v[1] ^= v[0];
    (v[0], v[1])
}

#[routine]
fn in_macros(x: u32) -> bool {
    assert!(-make(x) != SEVEN, "minus seven: {x}");
    assert_eq!(make(x) & 1, N(x & 1));
    matches!(-SEVEN + make(x), N(1..=1000))
}

#[routine]
fn of_bools(a: bool, b: bool) -> (bool, bool, bool, bool) {
    (a.max(b), a.min(b), true.min(b), b.clamp(false, a))
}

#[routine]
fn slices_in_values(x: u32, list: [u32; 4]) -> (bool, bool, bool, bool, Ordering) {
    let (front, back) = (&list[..(x % 5) as usize], &list[(x % 4) as usize..]);
    (
        Some(front) == Some(back) || list.split_first() == Some((&x, &[2, 3][..])),
        (x, front) == (x, &list[..1]) && [front, back] != [back, front],
        (1, front) < (1, back),
        Some(&list[..2]) >= Some(&[list[0], x][..]),
        (front, x).cmp(&(back, 3)),
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, PartialOrd)]
struct View<'a> {
    values: &'a [f32],
    name: &'a str,
    rest: Option<&'a [f32]>,
}

#[routine]
fn views(list: [f32; 3], x: u32) -> (bool, Option<Ordering>) {
    let one = View {
        values: &list,
        name: "ab",
        rest: Some(&list[1..]),
    };
    let other = View {
        values: &list[..(x % 4) as usize],
        name: if x < 1 << 31 { "ab" } else { "b" },
        rest: None,
    };
    (one == other || other == other, one.partial_cmp(&other))
}

#[routine]
fn units(x: u32) -> bool {
    let (unit, tagged) = ((), ((), x, ()));
    unit == tagged.0 && tagged <= ((), 7, ()) && unit.max(()) == unit
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Velocity(f32);

#[routine]
impl Add for Velocity {
    type Output = Velocity;
    fn add(self, other: Velocity) -> Velocity {
        Velocity(self.0 + other.0)
    }
}

#[routine]
impl Sub<&Velocity> for &Velocity {
    type Output = Velocity;
    fn sub(self, other: &Velocity) -> Velocity {
        Velocity(self.0 - other.0)
    }
}

#[routine]
impl Mul<f32> for Velocity {
    type Output = Velocity;
    fn mul(self, by: f32) -> Velocity {
        Velocity(self.0 * by)
    }
}

#[routine]
impl Mul<Velocity> for Velocity {
    type Output = f32;
    fn mul(self, by: Velocity) -> f32 {
        self.0 * by.0 + 1.0
    }
}

#[routine]
fn change_of(a: &Velocity, b: Velocity) -> Velocity {
    let sum = a.add(b);
    a.sub(&sum)
}

#[routine]
fn by_their_methods(x: f32, y: f32, n: u32) -> (Velocity, f32, Velocity, u32) {
    let (a, b) = (Velocity(x), Velocity(y));
    let list = [a, b];
    (
        a.add(b).sub(&b).mul(2.0).add(Velocity(1.0)),
        a.mul(b) + list[1].mul(list[n as usize % 2]),
        change_of(&a, b),
        Some(n).unwrap_or(3).rem(7).add(list.len() as u32),
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Set(u32);

#[routine]
impl Set {
    fn add(&mut self, x: u32) {
        self.0 |= 1 << x;
    }
    fn sub(self, x: u32) -> Set {
        Set(self.0 & !(1 << x))
    }
}

#[routine]
fn methods_of_such_names(x: u32) -> Set {
    let mut set = Set(0);
    set.add(x % 32);
    for i in 0..x % 4 {
        set.add(i);
    }
    set.sub(2)
}

/// Two are equal if their last bits are, and one equals a reference to another if the last two are.
#[derive(VmType, Clone, Copy, Debug)]
struct Loose(u32);

#[routine]
impl PartialEq for Loose {
    fn eq(&self, other: &Loose) -> bool {
        self.0 % 2 == other.0 % 2
    }
}

#[routine]
impl PartialEq<&Loose> for Loose {
    fn eq(&self, other: &&Loose) -> bool {
        self.0 % 4 == other.0 % 4
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Exact(u32);

#[routine]
impl PartialEq<Exact> for &Exact {
    fn eq(&self, other: &Exact) -> bool {
        self.0 ^ other.0 < 3
    }
}

#[routine]
fn compared_by_forms(a: u32, b: u32) -> ([bool; 4], [bool; 3], bool) {
    let (v, w) = (Loose(a), Loose(b));
    let (x, y) = (Exact(a % 8), Exact(b % 8));
    let list = [a, b];
    (
        [v == w, v == &w, &v == &w, v != &w],
        [x == y, &x == y, &x == &y],
        list == &list[..] && &list[..] == [a, b],
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Way {
    Left,
    Right,
}

#[routine]
impl Way {
    fn from(self, at: u32) -> u32 {
        match self {
            Way::Left => at.wrapping_sub(1),
            Way::Right => at.wrapping_add(1),
        }
    }

    fn try_from(a: u32, b: u32) -> Option<Way> {
        (a != b).then(|| if a < b { Way::Right } else { Way::Left })
    }
}

#[routine]
fn functions_named_from(a: u32, b: u32) -> (u32, u32, Option<Way>) {
    (Way::Left.from(a), Way::from(Way::Right, b), Way::try_from(a, b))
}
