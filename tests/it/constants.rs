//! The user's own `const`s, of every type, and constant expressions.

use gpuvm::prelude::*;

cases! {
    scalar_constants, constant_arrays, constant_expressions, associated_consts, constant_in_module, constant_table_lookup, constant_tuple,
    long_constants, float_bits_constants, constant_length, local_constant,
    constant_slices, constant_slice_of_structs, constant_references, empty_constant_slice, constant_slice_in_loop, constant_slice_given_on,
    constant_of_inferred_arguments, constants_of_types_in_patterns, constant_list_of_slices, constant_tuples_with_slices,
}

const GAIN: f32 = 1.5;
const OFFSET: i32 = -(1 << 20);
const ENABLED: bool = cfg!(not(any()));
const TABLE: [u32; 8] = [1, 1, 2, 6, 24, 120, 720, 5040];
const LIMITS: (i32, u8) = (-5, 250);
const BIG: u64 = 0x0123_4567_89ab_cdef;
const SMALL: i64 = i64::MIN + 1;
const COUNT: usize = 6;
const WEIGHTS: [[f32; 2]; 3] = [[0.25, 0.5], [1.0, -1.0], [2.0, 1.0e-40]];

mod settings {
    pub const DEPTH: u32 = super::TABLE[3] * 2 + double(4);

    const fn double(x: u32) -> u32 {
        x * 2
    }
}

#[routine]
fn scalar_constants(a: f32, b: i32) -> (f32, i32) {
    if ENABLED { (a * GAIN, b / 4 + OFFSET) } else { (0.0, 0) }
}

#[routine]
fn constant_arrays(i: u32) -> u32 {
    TABLE[(i % 8) as usize] + TABLE[3]
}

#[routine]
fn constant_expressions(a: u32) -> u32 {
    a / 16 + 3 * 7 - (1 << 4) + !0u32 / 0x1_0000 + (b'a' as u32)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Grid {
    side: u32,
}

#[routine]
impl Grid {
    const SIDE: u32 = 32;
    const CELLS: u32 = Self::SIDE * Self::SIDE;

    fn index(&self, x: u32, y: u32) -> u32 {
        (y % Self::SIDE * self.side + x) % Self::CELLS
    }
}

#[routine]
fn associated_consts(x: u32, y: u32) -> u32 {
    Grid { side: Grid::SIDE }.index(x % 1000, y) + Grid::CELLS
}

#[routine]
fn constant_in_module(a: u32) -> u32 {
    let mut n = 0;
    for i in 0..settings::DEPTH {
        n += i % (a % 5 + 1);
    }
    n
}

#[routine]
fn constant_table_lookup(i: u32, j: u32, x: f32) -> f32 {
    let row = WEIGHTS[(i % 3) as usize];
    row[(j % 2) as usize] * x + WEIGHTS[2][1]
}

#[routine]
fn constant_tuple(a: i32) -> (i32, u8) {
    let (low, high) = LIMITS;
    (a.max(low), high - LIMITS.1 / 2)
}

#[routine]
fn long_constants(a: u64) -> (u64, i64) {
    (a ^ BIG, SMALL ^ (a >> 3) as i64)
}

#[routine]
fn float_bits_constants(a: f32) -> (bool, u32) {
    const TINY: f32 = f32::from_bits(1);
    (a > TINY, (-0.0f32).to_bits() ^ f32::INFINITY.to_bits() ^ TINY.to_bits())
}

#[routine]
fn constant_length(a: u32) -> [u32; COUNT] {
    let mut values = [0; COUNT];
    for i in 0..COUNT {
        values[i] = a.rotate_left(i as u32 * 5);
    }
    values
}

#[routine]
fn local_constant(a: u32) -> u32 {
    const STEP: u32 = 3;
    const STEPS: [u32; 2] = [STEP, STEP * STEP];
    a / STEP + STEPS[(a % 2) as usize]
}

const PRIMES: &[u32] = &[2, 3, 5, 7, 11, 13, 17, 19, 23, 29];
const NOTHING: &[u64] = &[];
const DIGITS: &[u8; 16] = b"0123456789abcdef";
static STEPS: &[(i8, i64)] = &[(-1, -5_000_000_000), (0, 0), (1, 5_000_000_000)];
static GRIDS: &[Grid] = &[Grid { side: 3 }, Grid { side: 40 }];

#[routine]
fn constant_slices(i: u32, from: u32) -> (u32, usize, u32, Option<u32>) {
    let rest = &PRIMES[(from % 12) as usize..];
    (
        PRIMES[(i % 10) as usize],
        rest.len(),
        rest.iter().sum(),
        PRIMES.get(i as usize % 16).copied(),
    )
}

#[routine]
fn constant_slice_of_structs(i: u32, x: u32) -> (u32, i64, i8) {
    let grid = &GRIDS[i as usize % GRIDS.len()];
    let (step, far) = STEPS[(x % 3) as usize];
    (grid.index(x, i), far, step)
}

#[routine]
fn constant_references(n: u32) -> [u8; 8] {
    std::array::from_fn(|i| DIGITS[(n >> (28 - 4 * i)) as usize & 15])
}

#[routine]
fn empty_constant_slice(n: u32) -> (usize, u64, u32) {
    (
        NOTHING.len(),
        NOTHING.iter().sum(),
        NOTHING.iter().fold(n, |n, _| n ^ 1),
    )
}

#[routine]
fn constant_slice_in_loop(n: u32) -> (u32, bool) {
    let mut left = n % 10_000;
    let mut factors = 0;
    for &prime in PRIMES {
        while left != 0 && left % prime == 0 {
            left /= prime;
            factors += 1;
        }
    }
    (factors, PRIMES.contains(&left))
}

#[routine(callee)]
fn second_of(list: &[u32]) -> u32 {
    list[1]
}

#[routine]
fn constant_slice_given_on(n: u32) -> u32 {
    let list = if n % 2 == 0 { PRIMES } else { &PRIMES[4..] };
    second_of(list) ^ list.iter().rev().next().map_or(0, |x| *x)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Digits<const N: usize>([u8; N]);

impl Digits<1> {
    const THREE: u8 = 3;
}

struct Plain;

impl Plain {
    const FIVE: u32 = 5;
    const EIGHT: u32 = 8;
}

#[routine]
fn constants_of_types_in_patterns(n: u32) -> u32 {
    match n % 10 {
        Plain::FIVE => 1,
        0..Plain::FIVE => 2,
        Plain::FIVE..=Plain::EIGHT => Plain::EIGHT,
        _ => u32::from(Digits::<1>::THREE),
    }
}

#[routine]
impl<const N: usize> Digits<N> {
    const ONES: Self = Digits([1; N]);
    const LAST: Option<Self> = if N > 2 { Some(Digits([9; N])) } else { None };

    fn sum(&self) -> u32 {
        self.0.iter().map(|&digit| u32::from(digit)).sum()
    }
}

#[routine]
fn constant_of_inferred_arguments(n: u32) -> (Digits<3>, u32, Option<Digits<2>>) {
    let mut digits = Digits::ONES;
    digits.0[n as usize % 3] = n as u8;
    let other = if n < 9 { Digits::LAST } else { None };
    let sum = other.map_or(0, |other: Digits<4>| other.sum());
    (digits, sum, Digits::LAST)
}

const ROOTS: [&[i16]; 4] = [&[1, -1], &[], &[2], &[3, 5, -7]];
const GRADES: [(u16, &[u8]); 3] = [(90, b"very good"), (50, b"good"), (0, b"not so good")];
const CURVE: (f32, &[(u8, f32)], u64) = (0.5, &[(1, 2.5), (2, -1.0)], 1 << 40);

#[routine]
fn constant_list_of_slices(i: u32, x: i32) -> i32 {
    let mut sum = 0;
    for (at, roots) in ROOTS.iter().enumerate() {
        if at as u32 != i % 5 {
            sum += roots.iter().map(|&root| i32::from(root)).sum::<i32>();
        }
    }
    for root in ROOTS[i as usize % 4] {
        sum = (sum.rotate_left(3)) ^ i32::from(*root);
    }
    sum ^ x
}

#[routine]
fn constant_tuples_with_slices(points: u8, at: u32) -> (u8, u32, f32) {
    let mut grade = (0, 0);
    for (least, name) in GRADES {
        if u16::from(points) >= least {
            grade = (name[at as usize % name.len()], name.len() as u32);
            break;
        }
    }
    let (scale, curve, bits) = CURVE;
    let value: f32 = curve.iter().map(|(step, by)| f32::from(*step) * by).sum();
    (grade.0, grade.1 + (bits >> 40) as u32, value * scale)
}
