//! Loops that are powers of a linear map, as users write them: equal to stepping where stepping is possible, and beyond to
//! arithmetic that shares nothing with the linker's.

use gpuvm::prelude::*;

use crate::harness::{pausing, runtime};

cases! {
    lcg_signed_count, lcg_long_count, lcg_long_signed_count, lcg_between, lcg_down, lcg_long_down, lcg_up_while, count_read_after,
    high_half_read, xorshift_long_count, fibonacci_pair, crc_masked, crc_multiplied, crc_if, crc_if_shared, crc_if_long_count,
    crc_high_bit, crc_sign, crc_bytes, four_taps, four_taps_in_array, xoshiro_jump, side_by_side, sums_of_sums, turns_in_turns,
    rotation_by_or, wide_xorshift, affine_beside_products, called_steps, crc_text, feedback_register, counted_back, lcg_signed_up,
    loops_in_a_row,
}

const A: u32 = 1_664_525;
const C: u32 = 1_013_904_223;
const POLYNOMIAL: u32 = 0xedb8_8320;

#[routine]
fn lcg_signed_count(x: u32, n: i32) -> u32 {
    let mut x = x;
    for _ in 0..n % 2000 {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

#[routine]
fn lcg_jump(x: u32, n: u64) -> u32 {
    let mut x = x;
    for _ in 0..n {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

#[routine]
fn lcg_long_count(x: u32, n: u64) -> u32 {
    lcg_jump(x, n % 2000)
}

#[routine]
fn lcg_long_signed_count(x: u32, n: i64) -> u32 {
    let mut x = x;
    for _ in -1000..n % 1000 {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

#[routine]
fn lcg_between(x: u32, from: u64, n: u32) -> u32 {
    let mut x = x;
    for _ in from..from.saturating_add((n % 2000) as u64) {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

#[routine]
fn lcg_down(x: u32, n: u32) -> u32 {
    let mut x = x;
    let mut n = n % 2000;
    while n > 0 {
        x = x.wrapping_mul(A).wrapping_add(C);
        n -= 1;
    }
    x
}

#[routine]
fn lcg_long_down(x: u32, n: u64) -> u32 {
    let mut x = x;
    let mut n = n % 2000;
    while n != 0 {
        x = x.wrapping_mul(A).wrapping_add(C);
        n = n.wrapping_sub(1);
    }
    x
}

#[routine]
fn lcg_up_while(x: u32, n: u64) -> u32 {
    let mut x = x;
    let mut i = 0;
    while i < n % 2000 {
        x = x.wrapping_mul(A).wrapping_add(C);
        i += 1;
    }
    x
}

#[routine]
fn count_read_after(x: u32, from: u64, n: u64) -> (u32, u64) {
    let mut x = x;
    let mut i = from;
    let to = from.wrapping_add(n % 1000);
    while i != to {
        x = x.wrapping_mul(A).wrapping_add(C);
        i = i.wrapping_add(1);
    }
    (x, i)
}

#[routine]
fn high_half_read(x: u32, from: u64, n: u64) -> u32 {
    let mut x = x;
    let mut i = from;
    let to = from.wrapping_add(n % 500);
    while i != to {
        i = i.wrapping_add(1);
        x = x.wrapping_mul(A) ^ ((i >> 32) as u32);
    }
    x
}

#[routine]
fn xorshift_far(x: u32, n: u64) -> u32 {
    let mut x = x;
    for _ in 0..n {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    x
}

#[routine]
fn xorshift_long_count(x: u32, n: u64) -> u32 {
    xorshift_far(x, n % 2000)
}

#[routine]
fn fibonacci_far(a: u32, b: u32, n: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    for _ in 0..n {
        (a, b) = (b, a.wrapping_add(b));
    }
    a
}

#[routine]
fn fibonacci_pair(a: u32, b: u32, n: u32) -> u32 {
    fibonacci_far(a, b, n % 2000)
}

#[routine]
fn crc_masked(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 2000 {
        let mask = 0u32.wrapping_sub(c & 1);
        c = (c >> 1) ^ (POLYNOMIAL & mask);
    }
    c
}

#[routine]
fn crc_multiplied(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 2000 {
        c = (c >> 1) ^ (c & 1).wrapping_mul(POLYNOMIAL);
    }
    c
}

#[routine]
fn crc_far(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n {
        c = if c & 1 != 0 { (c >> 1) ^ POLYNOMIAL } else { c >> 1 };
    }
    c
}

#[routine]
fn crc_if(c: u32, n: u32) -> u32 {
    crc_far(c, n % 2000)
}

#[routine]
fn crc_if_shared(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 2000 {
        let low = c & 1;
        c >>= 1;
        if low == 1 {
            c ^= POLYNOMIAL;
        }
    }
    c
}

#[routine]
fn crc_if_long_count(c: u32, n: u64) -> u32 {
    let mut c = c;
    for _ in 0..n % 2000 {
        c = if c & 1 == 0 { c >> 1 } else { (c >> 1) ^ POLYNOMIAL };
    }
    c
}

#[routine]
fn crc_high_bit(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 2000 {
        c = if c & 0x8000_0000 != 0 {
            (c << 1) ^ 0x04c1_1db7
        } else {
            c << 1
        };
    }
    c
}

#[routine]
fn crc_sign(c: i32, n: u32) -> i32 {
    let mut c = c;
    for _ in 0..n % 2000 {
        c = if c < 0 { (c << 1) ^ 0x04c1_1db7 } else { c << 1 };
    }
    c
}

#[routine]
fn crc_bytes(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 300 {
        for _ in 0..8 {
            c = if c & 1 != 0 { (c >> 1) ^ POLYNOMIAL } else { c >> 1 };
        }
    }
    c
}

#[routine]
fn four_taps_far(start: [u32; 4], n: u32) -> u32 {
    let [mut a, mut b, mut c, mut d] = start;
    for _ in 0..n {
        let e = a
            .wrapping_mul(3)
            .wrapping_add(b.wrapping_mul(5))
            .wrapping_sub(c)
            .wrapping_add(d.wrapping_mul(7));
        (a, b, c, d) = (b, c, d, e);
    }
    d
}

#[routine]
fn four_taps(a: u32, b: u32, n: u32) -> u32 {
    four_taps_far([a, b, 1, 2], n % 2000)
}

#[routine]
fn four_taps_in_array(a: i32, b: i32, n: u32) -> i32 {
    let mut w = [a, b, 1, 2];
    for _ in 0..n % 2000 {
        let next = w[0].wrapping_add(w[1].wrapping_mul(2)).wrapping_sub(w[3]);
        w = [w[1], w[2], w[3], next];
    }
    w[3]
}

/// xoshiro128++, whose engine is linear and whose output is not.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Xoshiro {
    s: [u32; 4],
}

#[routine]
impl Xoshiro {
    fn next(&mut self) -> u32 {
        let result = self.s[0].wrapping_add(self.s[3]).rotate_left(7).wrapping_add(self.s[0]);
        let t = self.s[1] << 9;
        self.s[2] ^= self.s[0];
        self.s[3] ^= self.s[1];
        self.s[1] ^= self.s[2];
        self.s[0] ^= self.s[3];
        self.s[2] ^= t;
        self.s[3] = self.s[3].rotate_left(11);
        result
    }
}

#[routine]
fn xoshiro_far(start: [u32; 4], n: u64) -> u32 {
    let mut engine = Xoshiro { s: start };
    for _ in 0..n {
        engine.next();
    }
    engine.next()
}

#[routine]
fn xoshiro_jump(a: u32, b: u32, n: u64) -> u32 {
    xoshiro_far([a, b, 3, 4], n % 1000)
}

#[routine]
fn side_by_side(x: u32, n: u32) -> (u32, u32, u32) {
    let (mut x, mut y, mut sum) = (x, x | 1, 0u32);
    for i in 0..n % 2000 {
        x = x.wrapping_mul(A).wrapping_add(C);
        y ^= y << 13;
        y ^= y >> 17;
        y ^= y << 5;
        sum = sum.wrapping_add(i);
    }
    (x, y, sum)
}

#[routine]
fn sums_of_sums(n: u64) -> (u32, u32) {
    let (mut sum, mut sums) = (0u32, 0u32);
    for i in 0..n % 2000 {
        sum = sum.wrapping_add(i as u32);
        sums = sums.wrapping_add(sum);
    }
    (sum, sums)
}

#[routine]
fn turns_in_turns(x: u32, n: u32, m: u32) -> u32 {
    let mut x = x;
    for _ in 0..n % 50 {
        for _ in 0..1000 {
            x = x.wrapping_mul(A).wrapping_add(C);
        }
        x = x.wrapping_add(7);
    }
    for _ in 0..n % 7 {
        for _ in 0..m % 200 {
            x ^= x << 13;
            x ^= x >> 17;
        }
        x = x.wrapping_mul(3);
    }
    x
}

#[routine]
fn rotation_by_or(x: u32, n: u32) -> u32 {
    let mut x = x;
    for _ in 0..n % 2000 {
        x = ((x << 5) | (x >> 27)) ^ (x >> 3);
    }
    x
}

#[routine]
fn wide_xorshift(x: u64, n: u32) -> u64 {
    let mut x = x | 1;
    for _ in 0..n % 1000 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    x
}

#[routine]
fn affine_beside_products(x: u32, n: u32) -> (u32, u32) {
    let (mut x, mut y, mut most) = (x, x, 0);
    for _ in 0..n % 500 {
        x = x.wrapping_mul(A).wrapping_add(C);
        y = y.wrapping_mul(y) ^ 5;
        most = most.max(y);
    }
    (x, most)
}

#[routine]
fn lcg_step(x: u32) -> u32 {
    x.wrapping_mul(A).wrapping_add(C)
}

#[routine]
fn crc_step(c: u32) -> u32 {
    if c & 1 != 0 { (c >> 1) ^ POLYNOMIAL } else { c >> 1 }
}

#[routine]
fn called_steps(x: u32, n: u32) -> (u32, u32) {
    let (mut x, mut c) = (x, x);
    for _ in 0..n % 2000 {
        x = lcg_step(x);
        c = crc_step(c);
    }
    (x, c)
}

#[routine]
fn crc_text(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 200 {
        c ^= 0x41;
        for _ in 0..8 {
            c = crc_step(c);
        }
    }
    c
}

#[routine]
fn feedback_register(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 2000 {
        let bit = (c ^ (c >> 2) ^ (c >> 3) ^ (c >> 5)) & 1;
        c = (c >> 1) | (bit << 31);
    }
    c
}

#[routine]
fn counted_back(x: u32, n: u32) -> (u32, u32) {
    let (mut x, mut sum) = (x, 0u32);
    for i in (0..n % 2000).rev() {
        x = lcg_step(x);
        sum = sum.wrapping_add(i);
    }
    (x, sum)
}

#[routine]
fn lcg_signed_up(x: u32, from: i32, n: i32) -> u32 {
    let mut x = x;
    let mut i = from % 1000;
    while i < n % 1000 {
        x = lcg_step(x);
        i += 1;
    }
    x
}

#[routine]
fn loops_in_a_row(x: u32, n: u32) -> u32 {
    let (mut x, n) = (x, n % 2000);
    for _ in 0..n {
        x = lcg_step(x);
    }
    for _ in 0..n {
        x = crc_step(x);
    }
    for _ in 0..n {
        x = x.wrapping_add(n);
    }
    x
}

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
        "lcg_signed_count": 7u32, 1999i32;
        "lcg_long_count": 7u32, 1999u64;
        "lcg_long_signed_count": 7u32, 999i64;
        "lcg_between": 7u32, 0xffff_ff00u64, 1999u32;
        "lcg_down": 7u32, 1999u32;
        "lcg_long_down": 7u32, 1999u64;
        "lcg_up_while": 7u32, 1999u64;
        "lcg_signed_up": 7u32, -999i32, 999i32;
        "counted_back": 7u32, 1999u32;
        "count_read_after": 7u32, 0xffff_ff00u64, 999u64;
        "xorshift_long_count": 7u32, 1999u64;
        "fibonacci_pair": 7u32, 8u32, 1999u32;
        "crc_masked": 7u32, 1999u32;
        "crc_multiplied": 7u32, 1999u32;
        "crc_if": 7u32, 1999u32;
        "crc_if_shared": 7u32, 1999u32;
        "crc_if_long_count": 7u32, 1999u64;
        "crc_high_bit": 7u32, 1999u32;
        "crc_sign": 7i32, 1999u32;
        "crc_bytes": 7u32, 299u32;
        "crc_text": 7u32, 199u32;
        "four_taps": 7u32, 8u32, 1999u32;
        "four_taps_in_array": 7i32, 8i32, 1999u32;
        "xoshiro_jump": 7u32, 8u32, 999u64;
        "side_by_side": 7u32, 1999u32;
        "called_steps": 7u32, 1999u32;
        "loops_in_a_row": 7u32, 1999u32;
        "sums_of_sums": 1999u64;
        "rotation_by_or": 7u32, 1999u32;
        "feedback_register": 7u32, 1999u32;
        "wide_xorshift": 7u64, 999u32;
    };
    let turning: Vec<_> = retired.into_iter().filter(|(_, retired)| *retired > 400).collect();
    assert!(turning.is_empty(), "{turning:?}");
}
