//! Powers of a linear map where stepping is not possible: equal to arithmetic that shares nothing with the linker's.

use gpuvm::prelude::*;

use crate::algebra::{A, C, Xoshiro, crc_far, fibonacci_far, four_taps_far, lcg_jump, xorshift_far, xoshiro_far};
use crate::harness::{pausing, runtime};

/// Instructions that no VM needs more of, however far it goes: for a billion turns, less than a hundred thousandth of what turning takes.
const MOST_RETIRED: u64 = 2000;

/// Launches a routine with columns on every engine that does not step natively, and compares results and work.
macro_rules! far {
    ($id:literal, $args:tt, $wanted:expr) => {
        for engine in pausing() {
            let done = runtime().launch($id).unwrap().args($args).engine(engine).run().unwrap();
            assert_eq!(done.output::<Vec<u32>>().unwrap(), $wanted, "{engine}");
            let (retired, vms) = (done.stats().instructions(), done.stats().vms);
            assert!(
                retired.is_none_or(|retired| retired < vms * MOST_RETIRED),
                "{engine}: {retired:?}"
            );
        }
    };
}

const COUNTS: [u64; 12] = [
    0,
    1,
    63,
    64,
    65,
    999_999,
    0xffff_ffff,
    1 << 32,
    1_000_000_000,
    1_000_000_000_000,
    1_000_000_000_007,
    (1 << 46) + 3,
];

fn short_counts() -> Vec<u32> {
    COUNTS.iter().filter_map(|&n| n.try_into().ok()).collect()
}

fn starts(many: usize) -> Vec<u32> {
    (1..=many as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect()
}

#[test]
fn a_congruential_generator_jumps() {
    let mut counts = COUNTS.to_vec();
    counts.extend([u64::MAX, u64::MAX - 1, 1 << 63]);
    let starts = starts(counts.len());
    // xₙ = aⁿ x + c (aⁿ - 1) / (a - 1), with aⁿ mod 2³² (a - 1) so that the division is exact.
    let modulus = u128::from(A - 1) << 32;
    let power = |mut n: u64| {
        let (mut power, mut square) = (1, u128::from(A));
        while n > 0 {
            if n & 1 == 1 {
                power = power * square % modulus;
            }
            square = square * square % modulus;
            n >>= 1;
        }
        power
    };
    let jumped = |(&x, &n): (&u32, &u64)| {
        let power = power(n);
        let sum = (power + modulus - 1) % modulus / u128::from(A - 1);
        (power as u32).wrapping_mul(x).wrapping_add(C.wrapping_mul(sum as u32))
    };
    let wanted: Vec<u32> = starts.iter().zip(&counts).map(jumped).collect();
    assert_eq!(wanted[5], lcg_jump(starts[5], counts[5]));
    far!("lcg_jump", (&starts, &counts), wanted);
}

/// A linear map of 128 bits, by what it makes of each bit.
struct Bits(Vec<u128>);

impl Bits {
    fn of(map: impl Fn([u32; 4]) -> [u32; 4]) -> Bits {
        let split = |bits: u128| {
            [
                bits as u32,
                (bits >> 32) as u32,
                (bits >> 64) as u32,
                (bits >> 96) as u32,
            ]
        };
        let join = |words: [u32; 4]| words.iter().rev().fold(0, |bits, &word| bits << 32 | u128::from(word));
        Bits((0..128).map(|i| join(map(split(1 << i)))).collect())
    }

    fn apply(&self, bits: u128) -> u128 {
        let set = (0..128).filter(|i| bits >> i & 1 == 1);
        set.fold(0, |sum, i| sum ^ self.0[i])
    }

    /// What `n` times the map makes of the words.
    fn far(&self, start: [u32; 4], mut n: u64) -> [u32; 4] {
        let mut bits = start.iter().rev().fold(0, |bits, &word| bits << 32 | u128::from(word));
        let mut square = Bits(self.0.clone());
        while n > 0 {
            if n & 1 == 1 {
                bits = square.apply(bits);
            }
            square = Bits(square.0.iter().map(|&image| square.apply(image)).collect());
            n >>= 1;
        }
        [
            bits as u32,
            (bits >> 32) as u32,
            (bits >> 64) as u32,
            (bits >> 96) as u32,
        ]
    }
}

#[test]
fn a_shift_register_jumps() {
    let step = Bits::of(|[x, ..]| [xorshift_far(x, 1), 0, 0, 0]);
    let (starts, counts) = (starts(COUNTS.len()), COUNTS.to_vec());
    let jumped = |(&x, &n): (&u32, &u64)| step.far([x, 0, 0, 0], n)[0];
    let wanted: Vec<u32> = starts.iter().zip(&counts).map(jumped).collect();
    assert_eq!(wanted[5], xorshift_far(starts[5], counts[5]));
    far!("xorshift_far", (&starts, &counts), wanted);
}

#[test]
fn a_checksum_of_zeros_jumps() {
    let step = Bits::of(|[c, ..]| [crc_far(c, 1), 0, 0, 0]);
    let counts = short_counts();
    let starts = starts(counts.len());
    let jumped = |(&c, &n): (&u32, &u32)| step.far([c, 0, 0, 0], n.into())[0];
    let wanted: Vec<u32> = starts.iter().zip(&counts).map(jumped).collect();
    assert_eq!(wanted[5], crc_far(starts[5], counts[5]));
    far!("crc_far", (&starts, &counts), wanted);
}

#[test]
fn a_stream_of_xoshiro_jumps() {
    let step = Bits::of(|s| {
        let mut engine = Xoshiro { s };
        engine.next();
        engine.s
    });
    let counts = COUNTS.to_vec();
    let starts: Vec<[u32; 4]> = starts(counts.len()).into_iter().map(|x| [x, x ^ 7, !x, 1]).collect();
    let jumped = |(&s, &n): (&[u32; 4], &u64)| Xoshiro { s: step.far(s, n) }.next();
    let wanted: Vec<u32> = starts.iter().zip(&counts).map(jumped).collect();
    assert_eq!(wanted[5], xoshiro_far(starts[5], counts[5]));
    far!("xoshiro_far", (&starts, &counts), wanted);
}

/// A recurrence over four words mod 2³², `n` steps on, by squaring.
fn recurrence(taps: [u32; 4], start: [u32; 4], mut n: u32) -> [u32; 4] {
    type Matrix = [[u32; 4]; 4];
    let product = |a: &Matrix, b: &Matrix| -> Matrix {
        let entry = |i: usize, j: usize| (0..4).fold(0u32, |sum, k| sum.wrapping_add(a[i][k].wrapping_mul(b[k][j])));
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    };
    let mut square = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], taps];
    let mut power: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| u32::from(i == j)));
    while n > 0 {
        if n & 1 == 1 {
            power = product(&power, &square);
        }
        square = product(&square, &square);
        n >>= 1;
    }
    power.map(|row| (0..4).fold(0u32, |sum, k| sum.wrapping_add(row[k].wrapping_mul(start[k]))))
}

#[test]
fn recurrences_jump() {
    let counts = short_counts();
    let first = starts(counts.len());
    let second: Vec<u32> = first.iter().map(|x| !x).collect();
    let rows = || first.iter().zip(&second).zip(&counts);
    // The Fibonacci pair is a recurrence of four words whose last two are ahead.
    let wanted: Vec<u32> = rows()
        .map(|((&a, &b), &n)| {
            let c = a.wrapping_add(b);
            recurrence([0, 0, 1, 1], [a, b, c, b.wrapping_add(c)], n)[0]
        })
        .collect();
    assert_eq!(wanted[5], fibonacci_far(first[5], second[5], counts[5]));
    far!("fibonacci_far", (&first, &second, &counts), wanted);
    let taps = [3, 5, u32::MAX, 7];
    let starts: Vec<[u32; 4]> = first.iter().map(|&x| [x, !x, 1, x ^ 5]).collect();
    let wanted: Vec<u32> = starts
        .iter()
        .zip(&counts)
        .map(|(&s, &n)| recurrence(taps, s, n)[3])
        .collect();
    assert_eq!(wanted[5], four_taps_far(starts[5], counts[5]));
    far!("four_taps_far", (&starts, &counts), wanted);
}

/// The most instructions that one VM needs in the reference interpreter.
macro_rules! retired {
    ($($id:literal: $($argument:expr),+;)*) => {
        [$({
            let launch = runtime().launch($id).unwrap().args(($(&[$argument],)+));
            let done = launch.engine(Engine::Reference).run().unwrap();
            ($id, done.stats().instructions().unwrap_or(u64::MAX))
        }),*]
    };
}

#[test]
fn loops_of_steps_that_are_linear_need_not_turn() {
    let retired = retired! {
        "lcg_signed_count": 7u32, 199i32;
        "lcg_long_count": 7u32, 199u64;
        "lcg_long_signed_count": 7u32, 99i64;
        "lcg_between": 7u32, 0xffff_ff00u64, 199u32;
        "lcg_down": 7u32, 199u32;
        "lcg_long_down": 7u32, 199u64;
        "lcg_up_while": 7u32, 199u64;
        "lcg_signed_up": 7u32, -99i32, 99i32;
        "counted_back": 7u32, 199u32;
        "count_read_after": 7u32, 0xffff_ff00u64, 199u64;
        "xorshift_long_count": 7u32, 199u64;
        "fibonacci_pair": 7u32, 8u32, 199u32;
        "crc_masked": 7u32, 199u32;
        "crc_multiplied": 7u32, 199u32;
        "crc_if": 7u32, 199u32;
        "crc_if_shared": 7u32, 199u32;
        "crc_if_long_count": 7u32, 199u64;
        "crc_high_bit": 7u32, 199u32;
        "crc_sign": 7i32, 199u32;
        "crc_bytes": 7u32, 99u32;
        "crc_text": 7u32, 99u32;
        "four_taps": 7u32, 8u32, 199u32;
        "four_taps_in_array": 7i32, 8i32, 199u32;
        "xoshiro_jump": 7u32, 8u32, 199u64;
        "side_by_side": 7u32, 199u32;
        "called_steps": 7u32, 199u32;
        "loops_in_a_row": 7u32, 199u32;
        "sums_of_sums": 199u64;
        "rotation_by_or": 7u32, 199u32;
        "feedback_register": 7u32, 199u32;
        "wide_xorshift": 7u64, 199u32;
    };
    let turning: Vec<_> = retired.into_iter().filter(|(_, retired)| *retired > 400).collect();
    assert!(turning.is_empty(), "{turning:?}");
}
