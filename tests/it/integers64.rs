//! `u64` and `i64`, which take two words: carries, products, quotients, shifts, conversions, mixed with other types.

use gpuvm::prelude::*;

cases! {
    add_and_carry, wide_product, wide_division, wide_shifts, wide_comparisons, sign_extension, truncation, float_of_long,
    long_of_float, splitmix, mul_mod, long_in_array, long_powers, long_matches, long_bits, signed_long_mix, isqrt_long, long_literals,
}

#[routine]
fn add_and_carry(a: u64, b: u64) -> (u64, bool) {
    let (sum, carry) = a.overflowing_add(b);
    (sum ^ a.wrapping_sub(b), carry)
}

#[routine]
fn wide_product(a: u32, b: u32) -> (u32, u32) {
    let product = a as u64 * b as u64;
    ((product >> 32) as u32, product as u32)
}

#[routine]
fn wide_division(a: u64, b: u64) -> (u64, u64) {
    if b == 0 { (0, a) } else { (a / b, a % b) }
}

#[routine]
fn wide_shifts(a: u64, n: u32) -> (u64, u64, i64) {
    let n = n % 64;
    (a << n, a >> n, a as i64 >> n)
}

#[routine]
fn wide_comparisons(a: i64, b: i64) -> (bool, bool, bool, bool) {
    (a < b, a >= b, (a as u64) < (b as u64), a == b)
}

#[routine]
fn sign_extension(a: i32, b: u32, c: i8) -> (i64, u64, i64, u64) {
    (a as i64, b as u64, c as i64, a as u64)
}

#[routine]
fn truncation(a: u64, b: i64) -> (u32, i32, u8, i16) {
    (a as u32, b as i32, a as u8, b as i16)
}

#[routine]
fn float_of_long(a: u64, b: i64) -> (f32, f32) {
    (a as f32, b as f32)
}

#[routine]
fn long_of_float(a: f32) -> (u64, i64) {
    (a as u64, a as i64)
}

#[routine]
fn splitmix(seed: u64, n: u32) -> u64 {
    let mut state = seed;
    let mut z = 0;
    for _ in 0..n % 8 {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
    }
    z
}

#[routine]
fn mul_mod(a: u32, b: u32, n: u32) -> u32 {
    let modulus = n | 1;
    let mut result = 1u64;
    let mut base = (a % modulus) as u64;
    let mut exponent = b % 1000;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % modulus as u64;
        }
        base = base * base % modulus as u64;
        exponent >>= 1;
    }
    result as u32
}

#[routine]
fn long_in_array(a: u64, i: u32) -> u64 {
    let mut table = [1u64; 6];
    for k in 1..6 {
        table[k] = table[k - 1].wrapping_mul(a | 1);
    }
    table[(i % 6) as usize]
}

#[routine]
fn long_powers(a: i64, n: u32) -> (i64, Option<i64>) {
    (a.wrapping_pow(n % 9), a.checked_pow(n % 5))
}

#[routine]
fn long_matches(a: u64) -> u32 {
    match a {
        0 => 0,
        1..=0xffff_ffff => 1,
        0x1_0000_0000 => 2,
        n if n > 1 << 63 => 3,
        u64::MAX => 4,
        _ => 5,
    }
}

#[routine]
fn long_bits(a: u64, n: u32) -> (u32, u64, u64) {
    (
        a.leading_zeros() * 10_000 + a.trailing_zeros() * 100 + a.count_ones(),
        a.rotate_left(n % 64) ^ a.swap_bytes(),
        a.reverse_bits() & !(a | 0xff) | a,
    )
}

#[routine]
fn signed_long_mix(a: i64, b: i64) -> i64 {
    let quotient = if b == 0 || b == -1 { a } else { a / b - a % b };
    -(quotient >> 1) + a.min(b) / 4
}

#[routine]
fn isqrt_long(a: u64) -> u64 {
    let mut low = 0u64;
    let mut high = 0xffff_ffffu64;
    while low < high {
        let middle = low + (high - low + 1) / 2;
        if middle * middle <= a {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

#[routine]
fn long_literals(a: u64) -> (u64, i64) {
    let big = 0xdead_beef_0bad_f00d;
    (a ^ big, -9_223_372_036_854_775_808 + (a >> 1) as i64)
}
