//! `f16` and `bf16` of the crate `half`.

use std::cmp::Ordering;

use gpuvm::prelude::*;
use half_crate as half;
use half_crate::{bf16, f16};

use crate::harness::{ENGINES, runtime};
use crate::sample::{Rng, Sample};

cases! {
    halves_of_wider, bhalves_of_wider, wider_of_halves, bwider_of_halves, arithmetic, barithmetic, assigned, compared, bcompared, classified, bclassified, signs, bsigns, orders_of_halves,
    largest_of_halves, halves_clamped, bytes_of_halves, small_integers_as_halves, structs_of_halves, constants_of_halves, converted_by_path, sums_of_halves,
    halves_by_reference, options_of_halves, halves_of_calls, halves_in_constants,
}

/// A number that is exact in no half, a tie, or next to one, whichever the words say.
#[routine]
fn near(bits: u16, low: u64) -> (f64, f64) {
    let (a, b) = (f16::from_bits(bits).to_f64(), bf16::from_bits(bits).to_f64());
    let nudge = match low % 8 {
        0 => 0,
        1 => 1,
        2 => 1 << 31,
        3 => (1 << 31) + 1,
        4 => 1 << 41,
        5 => (1 << 41) + (1 << 32),
        6 => (1 << 44) + (low >> 3) % 2,
        _ => low >> 20,
    };
    (f64::from_bits(a.to_bits() ^ nudge), f64::from_bits(b.to_bits() ^ nudge))
}

#[routine]
fn halves_of_wider(x: f32, y: f64, bits: u16, low: u64) -> (f16, f16, u16, f16, f16) {
    let (a, b) = near(bits, low);
    let all = (f16::from_f32(x), f16::from_f64(y), f16::from_f64(a).to_bits());
    (
        all.0,
        all.1,
        all.2,
        f16::from_f32_const(b as f32),
        f16::from_f64_const(b),
    )
}

#[routine]
fn bhalves_of_wider(x: f32, y: f64, bits: u16, low: u64) -> (bf16, bf16, u16, bf16, bf16) {
    let (a, b) = near(bits, low);
    let all = (bf16::from_f32(x), bf16::from_f64(y), bf16::from_f64(a).to_bits());
    (
        all.0,
        all.1,
        all.2,
        bf16::from_f32_const(b as f32),
        bf16::from_f64_const(b),
    )
}

#[routine]
fn wider_of_halves(x: f16) -> (f32, f64, f32, f64, u32) {
    let single: f32 = x.into();
    (x.to_f32(), x.to_f64(), f32::from(x), f64::from(x), single.to_bits())
}

#[routine]
fn bwider_of_halves(x: bf16) -> (f32, f64, f32, f64, u32) {
    let single: f32 = x.into();
    (
        x.to_f32_const(),
        x.to_f64_const(),
        f32::from(x),
        f64::from(x),
        single.to_bits(),
    )
}

#[routine]
fn arithmetic(a: f16, b: f16) -> ([f16; 5], f16, u16) {
    ([a + b, a - b, a * b, a / b, a % b], -a, (a / b).to_bits())
}

#[routine]
fn barithmetic(a: bf16, b: bf16) -> ([bf16; 5], bf16, u16) {
    ([a + b, a - b, a * b, a / b, a % b], -a, (a - b).to_bits())
}

#[routine]
fn assigned(a: f16, b: f16, c: bf16) -> (f16, bf16) {
    let mut sum = a;
    sum += b;
    sum *= f16::from_f32(1.5);
    sum -= b;
    let mut other = c;
    other /= bf16::from_f64(3.0);
    other %= bf16::ONE;
    (sum, other)
}

#[routine]
fn compared(a: f16, b: f16) -> ([bool; 8], Option<Ordering>) {
    (
        [a == b, a != b, a < b, a <= b, a > b, a >= b, a.eq(&b), a.le(&b)],
        a.partial_cmp(&b),
    )
}

#[routine]
fn bcompared(a: bf16, b: bf16) -> ([bool; 8], Option<Ordering>) {
    (
        [a == b, a != b, a < b, a <= b, a > b, a >= b, a.ne(&b), a.gt(&b)],
        a.partial_cmp(&b),
    )
}

#[routine]
fn classified(x: f16) -> [bool; 4] {
    [x.is_nan(), x.is_infinite(), x.is_finite(), x.is_normal()]
}

#[routine]
fn bclassified(x: bf16) -> [bool; 4] {
    [x.is_nan(), x.is_infinite(), x.is_finite(), x.is_normal()]
}

#[routine]
fn signs(x: f16, y: f16) -> (bool, bool, f16, f16, u16, f16) {
    let bits = half::f16::to_bits(-x);
    (
        x.is_sign_negative(),
        f16::is_sign_positive(y),
        x.copysign(y),
        x.signum(),
        bits,
        f16::copysign(y, x),
    )
}

#[routine]
fn bsigns(x: bf16, y: bf16) -> (bool, bool, bf16, bf16, u16) {
    (
        x.is_sign_negative(),
        y.is_sign_positive(),
        x.copysign(y),
        x.signum(),
        (-x).to_bits(),
    )
}

#[routine]
fn orders_of_halves(a: f16, b: f16, c: bf16, d: bf16) -> (Ordering, Ordering, Ordering) {
    (a.total_cmp(&b), c.total_cmp(&d), f16::total_cmp(&b, &-a))
}

#[routine]
fn largest_of_halves(a: f16, b: f16, c: bf16, d: bf16) -> (f16, f16, bf16, bf16) {
    (a.max(b), a.min(b), c.max(d), bf16::min(c, d))
}

#[routine]
fn halves_clamped(x: f16, low: f16, high: f16) -> f16 {
    x.clamp(low.min(high), high)
}

#[routine]
fn bytes_of_halves(x: f16, y: bf16) -> ([u8; 2], [u8; 2], f16, bf16) {
    let (a, b) = (x.to_le_bytes(), y.to_be_bytes());
    (a, b, f16::from_be_bytes(a), bf16::from_le_bytes(b))
}

#[routine]
fn small_integers_as_halves(a: i8, b: u8) -> (f16, bf16, f16) {
    (f16::from(a), bf16::from(b), b.into())
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
struct Weight {
    scale: f16,
    offset: bf16,
}

#[routine]
fn structs_of_halves(a: f16, b: bf16, x: f32) -> (Weight, f32, bool, bool, Weight) {
    let weight = Weight { scale: a, offset: b };
    let other = Weight {
        scale: f16::from_f32(x),
        ..weight
    };
    let value = f32::from(weight.scale) * x + f32::from(weight.offset);
    (weight, value, weight == other, weight < other, Weight::default())
}

#[routine]
fn constants_of_halves(n: u32) -> (f16, bf16) {
    let all = [
        f16::ZERO,
        f16::ONE,
        f16::MAX,
        f16::MIN,
        f16::EPSILON,
        f16::INFINITY,
        f16::NAN,
        f16::NEG_ZERO,
        f16::MIN_POSITIVE,
        f16::PI,
    ];
    let others = [
        bf16::ZERO,
        bf16::MAX,
        bf16::MIN_POSITIVE_SUBNORMAL,
        half::bf16::NEG_INFINITY,
    ];
    (all[(n % 10) as usize], others[(n % 4) as usize])
}

#[routine]
fn converted_by_path(x: [f64; 3]) -> ([f16; 3], f32) {
    let halves = x.map(f16::from_f64);
    (halves, halves.map(f32::from).iter().sum())
}

#[routine]
fn sums_of_halves(x: [f16; 5]) -> (f32, f16, usize) {
    let sum: f32 = x.iter().map(|x| x.to_f32()).sum();
    let mut largest = f16::NEG_INFINITY;
    for value in x {
        if value > largest {
            largest = value;
        }
    }
    (sum, largest, x.iter().filter(|x| **x >= f16::ZERO).count())
}

#[routine]
fn doubled(x: &mut f16) {
    *x += *x;
}

#[routine]
fn halves_by_reference(mut x: [f16; 2], at: bool) -> [f16; 2] {
    doubled(&mut x[usize::from(at)]);
    x[0] = x[0] * x[1];
    x
}

#[routine]
fn root(x: f16) -> Option<f16> {
    if x < f16::ZERO {
        None
    } else {
        Some(f16::from_f32(x.to_f32().sqrt()))
    }
}

#[routine]
fn options_of_halves(x: f16, y: Option<f16>) -> (Option<f16>, f16, bool) {
    let found = root(x);
    (found, y.unwrap_or(f16::ONE), found == y)
}

/// No type of the crate stands here.
#[routine]
fn halves_of_calls(bits: u32) -> f32 {
    f32::from(f16::from_bits(bits as u16)) + f32::from(half::bf16::from_bits((bits >> 16) as u16))
}

const THIRD: f16 = f16::from_f32_const(0.333_333_34);

#[routine]
const fn sign_of_nan(x: f16) -> (bool, u16) {
    (x.is_sign_negative(), x.to_bits())
}

#[routine]
fn halves_in_constants(x: f16) -> (f16, (bool, u16)) {
    (x * THIRD, sign_of_nan(-x))
}

/// All numbers there and back, as columns of the type itself.
#[routine(id = "halves.all")]
fn there_and_back(bits: u16, x: f16, y: bf16) -> (f32, f32, f64, f64, u16, u16) {
    let (a, b) = (x.to_f32(), y.to_f32());
    let same = f16::from_bits(bits) == x || x.is_nan();
    let kept = if same { f16::from_f32(a).to_bits() } else { 1 };
    (a, b, x.to_f64(), y.to_f64(), kept, bf16::from_f64(y.to_f64()).to_bits())
}

#[test]
fn all_numbers_survive_on_every_engine() {
    let bits: Vec<u16> = (0..=u16::MAX).collect();
    let halves: Vec<f16> = bits.iter().map(|bits| f16::from_bits(*bits)).collect();
    let others: Vec<bf16> = bits.iter().map(|bits| bf16::from_bits(*bits)).collect();
    for engine in ENGINES {
        let launch = runtime().launch("halves.all").expect("it is a routine").engine(engine);
        let done = launch.args((&bits, &halves, &others)).run().expect("nothing traps");
        let results: Vec<(f32, f32, f64, f64, u16, u16)> = done.output().expect("these are the results");
        assert_eq!(results.len(), 1 << 16);
        for (i, (a, b, c, d, kept, other)) in results.into_iter().enumerate() {
            let (x, y) = (halves[i], others[i]);
            let same = |own: f64, known: f64| own.to_bits() == known.to_bits() || own.is_nan() && known.is_nan();
            assert!(same(f64::from(a), f64::from(x.to_f32())), "{engine}: {i:#x} is {a}");
            assert!(same(f64::from(b), f64::from(y.to_f32())), "{engine}: {i:#x} is {b}");
            assert!(
                same(c, x.to_f64()) && same(d, y.to_f64()),
                "{engine}: {i:#x} is {c}, {d}"
            );
            let one = |nan: bool, bits: u16, the: u16| if nan { the } else { bits };
            assert_eq!(kept, one(x.is_nan(), i as u16, 0x7e00), "{engine}");
            assert_eq!(other, one(y.is_nan(), i as u16, 0x7fc0), "{engine}");
        }
    }
}

/// Halves in slices, uniforms, columns and chunks.
#[routine(id = "halves.parameters")]
fn weighted(out: &mut [f16], weights: &[f16], scale: bf16, x: f16) -> f32 {
    let sum: f32 = weights.iter().map(|w| w.to_f32() * x.to_f32()).sum();
    out[0] = f16::from_f32(sum);
    out[1] = -out[1];
    sum * scale.to_f32()
}

#[test]
fn halves_are_parameters_of_every_mode() {
    let weights = [0.5, -1.0, 3.25].map(f16::from_f32).to_vec();
    let scale = bf16::from_f32(1.5);
    let xs: Vec<f16> = (0..320u16).map(|i| f16::from_f32(f32::from(i) / 8.0)).collect();
    let start: Vec<f16> = (0..640u16).map(|i| f16::from_f32(f32::from(i))).collect();
    let mut expected = start.clone();
    let pairs = expected.chunks_mut(2).zip(&xs);
    let results: Vec<f32> = pairs.map(|(chunk, x)| weighted(chunk, &weights, scale, *x)).collect();
    for engine in ENGINES {
        let mut out = start.clone();
        let launch = runtime()
            .launch("halves.parameters")
            .expect("it is a routine")
            .engine(engine);
        let done = launch
            .args((&mut out, &weights, scale, &xs))
            .run()
            .expect("nothing traps");
        assert_eq!(
            done.output::<Vec<f32>>().expect("these are the results"),
            results,
            "{engine}"
        );
        assert_eq!(out, expected, "{engine}");
    }
}

/// What is printed of a half is what the crate prints.
#[routine(id = "halves.printed")]
fn printed(x: f16, y: bf16) {
    println!("{x} {y:?} {x:08.3} {y:e} {x:x} {:?}", Weight { scale: x, offset: y });
}

#[test]
fn halves_are_printed_as_numbers() {
    let xs: Vec<f16> = [0.0f32, -1.5, 65504.0, 1e-7, 0.1].map(f16::from_f32).to_vec();
    let ys: Vec<bf16> = [1.0f32, -2.25, 3e38, 1e-40, 0.3].map(bf16::from_f32).to_vec();
    for engine in ENGINES {
        let launch = runtime()
            .launch("halves.printed")
            .expect("it is a routine")
            .engine(engine);
        let done = launch.args((&xs, &ys)).run().expect("nothing traps");
        let logs = done.logs();
        assert_eq!(logs.len(), xs.len(), "{engine}");
        for (log, (x, y)) in logs.iter().zip(xs.iter().zip(&ys)) {
            let weight = Weight { scale: *x, offset: *y };
            assert_eq!(
                log.text,
                format!("{x} {y:?} {x:08.3} {y:e} {x:x} {weight:?}"),
                "{engine}"
            );
        }
    }
}

macro_rules! sampled {
    ($($ty:ident)*) => {$(
        impl Sample for $ty {
            fn edges() -> Vec<Self> {
                let bits = [
                    0, 1, 2, 0x7f, 0x80, 0x81, 0x3ff, 0x400, 0x401, 0x3400, 0x3c00, 0x3c01, 0x3f80, 0x4000, 0x7bff, 0x7c00, 0x7c01, 0x7e00,
                    0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff,
                ];
                bits.iter().flat_map(|bits| [*bits, bits | 0x8000]).map($ty::from_bits).collect()
            }

            fn random(rng: &mut Rng) -> Self {
                $ty::from_bits(u16::random(rng))
            }
        }
    )*};
}
sampled! { f16 bf16 }
