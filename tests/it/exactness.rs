//! A million inputs for every float operation, conversion and comparison, for expressions that compilers like to contract, reassociate or
//! fold, and for the math functions: the bits of native Rust on every GPU engine.

use gpuvm::prelude::*;
use gpuvm::{DeviceKind, FloatMode};

use crate::harness::{ENGINES, runtime};
use crate::sample::Rng;

/// Inputs of each operation.
const INPUTS: usize = 1_000_000;

/// One input in so many is what an engine gets on a software device: such a device runs every part of an interpreter for every
/// instruction, and the math functions are `long`, hundreds of instructions.
fn thinned(engine: Engine, long: bool) -> usize {
    match engine {
        _ if runtime().device().kind != DeviceKind::Software => 1,
        Engine::Specialized => 1,
        Engine::Interpreter if long => 16,
        Engine::Interpreter => 8,
        _ if long => 64,
        _ => 16,
    }
}

#[routine]
fn exact_arithmetic(a: f32, b: f32, c: f32) -> [f32; 10] {
    [
        a + b,
        a - b,
        a * b,
        a / b,
        a % b,
        a.mul_add(b, c),
        a.min(b),
        a.max(b),
        a.copysign(b),
        a.rem_euclid(b),
    ]
}

#[routine]
fn exact_of_one(a: f32) -> [f32; 12] {
    [
        a.sqrt(),
        a.floor(),
        a.ceil(),
        a.trunc(),
        a.round(),
        a.round_ties_even(),
        a.fract(),
        a.abs(),
        -a,
        a.signum(),
        a.recip(),
        a.to_degrees(),
    ]
}

#[routine]
fn exact_comparison(a: f32, b: f32) -> [bool; 10] {
    [
        a < b,
        a <= b,
        a == b,
        a != b,
        a > b,
        a >= b,
        a.is_nan(),
        a.is_finite(),
        a.is_sign_negative(),
        a.to_bits() == b.to_bits(),
    ]
}

#[routine]
fn exact_to_integer(a: f32) -> (i32, u32, i64, u64, i16, u16, i8, u8) {
    (
        a as i32, a as u32, a as i64, a as u64, a as i16, a as u16, a as i8, a as u8,
    )
}

#[routine]
fn exact_from_integer(low: u32, high: u32) -> [f32; 7] {
    let long = (high as u64) << 32 | low as u64;
    let short = long >> (low & 63);
    [
        low as f32,
        low as i32 as f32,
        (low >> (high & 31)) as f32,
        long as f32,
        long as i64 as f32,
        short as f32,
        high as u8 as f32,
    ]
}

#[routine]
fn exact_folds(x: f32, y: f32, z: f32) -> [f32; 20] {
    [
        x * y + z,
        x * y - z,
        z - x * y,
        x * y + x * z,
        x * y + z * x,
        (x + y) - x,
        (x - y) + y,
        x + (y + z),
        (x + y) + z,
        (x * y) * z,
        (x * y) / y,
        (x / y) * y,
        x * 0.0,
        x + 0.0,
        x - 0.0,
        0.0 - x,
        x - x,
        x / x,
        x + (-x),
        (x + 1.0) - 1.0,
    ]
}

#[routine]
fn exact_folds_of_one(x: f32) -> [f32; 14] {
    [
        x * 1.0,
        x * -1.0,
        -(0.0 - x),
        x / 1.0,
        x / 3.0,
        x * 2.0 * 0.5,
        x + x,
        x * x,
        x * 0.1 * 10.0,
        1.0 / (1.0 / x),
        x * 1.0e38 * 1.0e38,
        x * 1.0e-38 * 1.0e-38,
        x.sqrt() * x.sqrt(),
        (x + 1.0e20) - 1.0e20,
    ]
}

#[routine]
fn exact_trigonometry(a: f32, b: f32) -> [f32; 7] {
    [a.sin(), a.cos(), a.tan(), a.asin(), a.acos(), a.atan(), a.atan2(b)]
}

#[routine]
fn exact_hyperbolic(a: f32) -> [f32; 6] {
    [a.sinh(), a.cosh(), a.tanh(), a.asinh(), a.acosh(), a.atanh()]
}

#[routine]
fn exact_exponential(a: f32) -> [f32; 8] {
    [
        a.exp(),
        a.exp2(),
        a.exp_m1(),
        a.ln(),
        a.ln_1p(),
        a.log2(),
        a.log10(),
        a.cbrt(),
    ]
}

#[routine]
fn exact_power(a: f32, b: f32) -> [f32; 4] {
    [a.powf(b), a.powi(b as i32), a.log(b), a.hypot(b)]
}

/// A result that two engines can agree on: words, NaN one value.
trait Bits: VmType + Copy {
    fn bits(self) -> impl Iterator<Item = u64>;
}

impl<const N: usize> Bits for [f32; N]
where
    [f32; N]: VmType,
{
    fn bits(self) -> impl Iterator<Item = u64> {
        let word = |x: f32| if x.is_nan() { u64::MAX } else { x.to_bits().into() };
        self.into_iter().map(word)
    }
}

impl<const N: usize> Bits for [bool; N]
where
    [bool; N]: VmType,
{
    fn bits(self) -> impl Iterator<Item = u64> {
        self.into_iter().map(u64::from)
    }
}

impl Bits for (i32, u32, i64, u64, i16, u16, i8, u8) {
    fn bits(self) -> impl Iterator<Item = u64> {
        let (a, b, c, d, e, f, g, h) = self;
        [a as u64, b as u64, c as u64, d, e as u64, f as u64, g as u64, h as u64].into_iter()
    }
}

/// The engines on the GPU.
fn gpu_engines() -> impl Iterator<Item = Engine> {
    let engines = ENGINES.into_iter();
    engines.filter(|engine| !matches!(engine, Engine::Native | Engine::Reference))
}

/// Inputs of three words: special values crossed, random bits, exponents close to each other, sums that cancel, denormals, numbers of
/// everyday size.
fn inputs(name: &str) -> [Vec<f32>; 3] {
    use crate::sample::Sample;
    let edges = f32::edges();
    let mut rng = Rng::named(name);
    let mut columns = [(); 3].map(|()| Vec::with_capacity(INPUTS));
    for i in 0..INPUTS {
        let (x, y) = (rng.next(), rng.next());
        let (a, b, c) = (x as u32, (x >> 32) as u32, y as u32);
        let edge = |at: usize| edges[at % edges.len()].to_bits();
        let n = i / 8;
        let words = match i % 8 {
            0 => [edge(n), edge(n / edges.len()), edge((y >> 32) as usize)],
            1 | 2 => [a, b, c],
            3 => {
                let b = b & 0x00ff_ffff ^ a & 0xff80_0000;
                let product = f32::from_bits(a) * f32::from_bits(b);
                [a, b, (-product).to_bits() ^ c & 3]
            }
            4 => {
                // Magnitudes about those of integers.
                let scaled = |bits: u32| bits & 0x807f_ffff | (120 + (bits >> 23) % 80) << 23;
                [scaled(a), scaled(b), scaled(c)]
            }
            5 => [a, a ^ b & 0xff, c],
            6 => [a, b, c].map(|bits| ((bits as i32 >> 12) as f32 / 8192.0).to_bits()),
            _ => [a & 0x80ff_ffff, b >> (a & 15), c & 0x807f_ffff],
        };
        for (column, word) in columns.iter_mut().zip(words) {
            column.push(f32::from_bits(word));
        }
    }
    columns
}

/// Compares a routine on the GPU engines with what its function gives. `long`: it has hundreds of instructions.
fn compare<R: Bits>(
    id: &str,
    long: bool,
    expected: &[R],
    launch: impl Fn(Engine, usize) -> gpuvm::Result<gpuvm::Done>,
) {
    for engine in gpu_engines() {
        let count = INPUTS / thinned(engine, long);
        let expected = &expected[..count];
        let done = launch(engine, count).unwrap_or_else(|error| panic!("{engine}: `{id}`: {error}"));
        assert_eq!(done.stats().float_mode, FloatMode::Exact);
        let found: Vec<R> = done.output().unwrap();
        assert_eq!(found.len(), expected.len());
        let mut rows = found.iter().zip(expected).enumerate();
        let wrong = rows.find(|(_, (found, expected))| !found.bits().eq(expected.bits()));
        if let Some((vm, (found, expected))) = wrong {
            let (found, expected): (Vec<_>, Vec<_>) = (found.bits().collect(), expected.bits().collect());
            panic!("{engine}: VM {vm} of `{id}` gives {found:x?} and should give {expected:x?}");
        }
    }
}

/// A test of each routine with float parameters, which are columns of the inputs.
macro_rules! exact {
    ($long:literal: $($test:ident: $name:ident($($column:tt),*);)*) => {$(
        #[test]
        fn $test() {
            let id = stringify!($name);
            let columns = inputs(id);
            let expected: Vec<_> = (0..INPUTS).map(|i| $name($(columns[$column][i]),*)).collect();
            compare(id, $long, &expected, |engine, count| {
                runtime().launch(id)?.args(($(&columns[$column][..count],)*)).engine(engine).run()
            });
        }
    )*};
}
exact! { false:
    arithmetic: exact_arithmetic(0, 1, 2);
    of_one: exact_of_one(0);
    comparison: exact_comparison(0, 1);
    to_integer: exact_to_integer(0);
    folds: exact_folds(0, 1, 2);
    folds_of_one: exact_folds_of_one(0);
}
exact! { true:
    trigonometry: exact_trigonometry(0, 1);
    hyperbolic: exact_hyperbolic(0);
    exponential: exact_exponential(0);
    power: exact_power(0, 1);
}

#[test]
fn from_integer() {
    let [a, b, _] = inputs("exact_from_integer").map(|column| column.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    let expected: Vec<_> = a.iter().zip(&b).map(|(&a, &b)| exact_from_integer(a, b)).collect();
    compare("exact_from_integer", false, &expected, |engine, count| {
        runtime()
            .launch("exact_from_integer")?
            .args((&a[..count], &b[..count]))
            .engine(engine)
            .run()
    });
}
