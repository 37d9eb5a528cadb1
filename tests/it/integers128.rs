//! `u128` and `i128`, which take four words: carries, products, quotients, shifts, conversions, methods, mixed with other types.

use std::num::Wrapping;

use gpuvm::prelude::*;

cases! {
    wide_sum, wide_difference, wide_signed_sum, wide_signed_difference, product_of_wide, wide_signed_product, wide_quotient, wide_signed_quotient,
    wide_wrapping, wide_signed_wrapping, wide_overflowing, wide_signed_overflowing, wide_checked, wide_signed_checked, wide_saturating,
    wide_signed_saturating, wide_bits, wide_bit_counts, wide_signed_bits, shifts_of_wide, wide_signed_shifts, wide_constant_shifts,
    wide_checked_shifts, shifted_by_wide, wide_rotations, wide_order, wide_extremes, wide_sign, wide_negation, wide_distance, wide_euclid,
    wide_powers, wide_roots, wide_powers_of_two, to_wide, from_wide, wide_to_float, float_to_wide, wide_literals, wide_constants,
    wide_patterns, wide_ranges, wide_in_aggregates, wide_in_array, wide_in_message, wide_in_assertion, wide_with_wrapping, high_product,
    mul_mod_64, pcg, fnv, fibonacci_of_wide, decimal_digits, gcd_of_wide, wide_by_reference, wide_generic, wide_option,
}

#[routine]
fn wide_sum(a: u128, b: u128) -> u128 {
    a + b
}

#[routine]
fn wide_difference(a: u128, b: u128) -> u128 {
    a - b
}

#[routine]
fn wide_signed_sum(a: i128, b: i128) -> i128 {
    a + b
}

#[routine]
fn wide_signed_difference(a: i128, b: i128) -> i128 {
    a - b
}

#[routine]
fn product_of_wide(a: u128, b: u128) -> u128 {
    a * b
}

#[routine]
fn wide_signed_product(a: i128, b: i128) -> i128 {
    a * b
}

#[routine]
fn wide_quotient(a: u128, b: u128) -> (u128, u128) {
    (a / b, a % b)
}

#[routine]
fn wide_signed_quotient(a: i128, b: i128) -> (i128, i128) {
    (a / b, a % b)
}

#[routine]
fn wide_wrapping(a: u128, b: u128) -> (u128, u128, u128, u128) {
    (
        a.wrapping_add(b),
        a.wrapping_sub(b),
        a.wrapping_mul(b),
        a.wrapping_neg(),
    )
}

#[routine]
fn wide_signed_wrapping(a: i128, b: i128) -> (i128, i128, i128, i128, i128) {
    let quotient = if b == 0 {
        0
    } else {
        a.wrapping_div(b) ^ a.wrapping_rem(b)
    };
    (
        a.wrapping_add(b),
        a.wrapping_sub(b),
        a.wrapping_mul(b),
        a.wrapping_neg() ^ a.wrapping_abs(),
        quotient,
    )
}

#[routine]
fn wide_overflowing(a: u128, b: u128) -> ((u128, bool), (u128, bool), (u128, bool), (u128, bool)) {
    (
        a.overflowing_add(b),
        a.overflowing_sub(b),
        a.overflowing_mul(b),
        a.overflowing_neg(),
    )
}

#[routine]
fn wide_signed_overflowing(a: i128, b: i128) -> ((i128, bool), (i128, bool), (i128, bool), (i128, bool)) {
    (
        a.overflowing_add(b),
        a.overflowing_sub(b),
        a.overflowing_mul(b),
        a.overflowing_neg(),
    )
}

#[routine]
fn wide_checked(a: u128, b: u128) -> (Option<u128>, Option<u128>, Option<u128>, Option<u128>, Option<u128>) {
    (
        a.checked_add(b),
        a.checked_sub(b),
        a.checked_mul(b),
        a.checked_div(b),
        a.checked_rem(b),
    )
}

#[routine]
fn wide_signed_checked(
    a: i128,
    b: i128,
) -> (
    Option<i128>,
    Option<i128>,
    Option<i128>,
    Option<i128>,
    Option<i128>,
    Option<i128>,
) {
    (
        a.checked_add(b),
        a.checked_sub(b),
        a.checked_mul(b),
        a.checked_div(b),
        a.checked_rem(b),
        a.checked_neg(),
    )
}

#[routine]
fn wide_saturating(a: u128, b: u128) -> (u128, u128, u128) {
    (a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b))
}

#[routine]
fn wide_signed_saturating(a: i128, b: i128) -> (i128, i128, i128) {
    (a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b))
}

#[routine]
fn wide_bits(a: u128, b: u128) -> (u128, u128, u128, u128, u128) {
    (
        a & b,
        a | b,
        a ^ b,
        !a,
        a & 0xffff_0000_ffff_0000_ffff_0000_ffff_0000 | 1,
    )
}

#[routine]
fn wide_bit_counts(a: u128) -> (u32, u32, u32, u32, u32, u32) {
    (
        a.count_ones(),
        a.count_zeros(),
        a.leading_zeros(),
        a.trailing_zeros(),
        a.leading_ones(),
        a.trailing_ones(),
    )
}

#[routine]
fn wide_signed_bits(a: i128) -> (u32, u32, i128, i128, bool) {
    (
        a.leading_zeros(),
        a.leading_ones(),
        a.swap_bytes(),
        a.reverse_bits(),
        a.is_negative(),
    )
}

#[routine]
fn shifts_of_wide(a: u128, n: u32) -> (u128, u128) {
    (a << n, a >> (n % 128))
}

#[routine]
fn wide_signed_shifts(a: i128, n: i32) -> (i128, i128) {
    (a << (n & 127), a >> n)
}

#[routine]
fn wide_constant_shifts(a: u128, b: i128) -> (u128, u128, u128, i128, i128, i128, u128) {
    (a << 1, a << 64, a >> 35, b >> 32, b >> 70, b >> 127, a << 127 | a >> 96)
}

#[routine]
fn wide_checked_shifts(a: u128, n: u32) -> (Option<u128>, Option<u128>, u128, u128) {
    (a.checked_shl(n), a.checked_shr(n), a.wrapping_shl(n), a.wrapping_shr(n))
}

#[routine]
fn shifted_by_wide(a: u32, n: u128) -> u32 {
    a >> n
}

#[routine]
fn wide_rotations(a: u128, n: u32) -> (u128, u128, u128) {
    (a.rotate_left(n), a.rotate_right(n), a.rotate_left(64))
}

#[routine]
fn wide_order(a: i128, b: i128) -> (bool, bool, bool, bool, bool, bool) {
    (
        a < b,
        a <= b,
        a > b,
        (a as u128) < b as u128,
        a as u128 >= b as u128,
        a == b,
    )
}

#[routine]
fn wide_extremes(a: i128, b: i128, c: u128) -> (i128, i128, u128, i128) {
    (a.min(b), a.max(b), c.min(a as u128).max(7), a.clamp(-5, 1 << 100))
}

#[routine]
fn wide_sign(a: i128) -> (i128, i128, u128, bool) {
    (a.signum(), a.abs(), a.unsigned_abs(), a.is_positive())
}

#[routine]
fn wide_negation(a: i128) -> i128 {
    -a
}

#[routine]
fn wide_distance(a: i128, b: i128, c: u128, d: u128) -> (u128, u128) {
    (a.abs_diff(b), c.abs_diff(d))
}

#[routine]
fn wide_euclid(a: i128, b: i128) -> (i128, i128) {
    (a.div_euclid(b), a.rem_euclid(b))
}

#[routine]
fn wide_powers(a: u128, b: i128, n: u32) -> (u128, Option<u128>, i128, Option<i128>, u128) {
    let n = n % 24;
    (
        a.wrapping_pow(n),
        a.checked_pow(n),
        b.wrapping_pow(n),
        b.checked_pow(n),
        (a % 16).pow(n),
    )
}

#[routine]
fn wide_roots(a: u128) -> (u128, u32) {
    (a.isqrt(), a.ilog2())
}

#[routine]
fn wide_powers_of_two(a: u128, b: u128) -> (bool, u128, u128) {
    (a.is_power_of_two(), (a >> 1).next_power_of_two(), a.div_ceil(b))
}

#[routine]
fn to_wide(a: u8, b: i16, c: u32, d: i32, e: i64) -> (u128, i128, u128, i128, i128) {
    (
        a as u128,
        b as i128,
        c as u128 | u128::from(a),
        d as i128,
        e as u128 as i128,
    )
}

#[routine]
fn from_wide(a: u128, b: i128) -> (u8, i16, u32, i32, u64, i64, u128) {
    (a as u8, b as i16, a as u32, b as i32, a as u64, b as i64, b as u128)
}

#[routine]
fn wide_to_float(a: u128, b: i128) -> (f32, f32) {
    (a as f32, b as f32)
}

#[routine]
fn float_to_wide(a: f32) -> (u128, i128) {
    (a as u128, a as i128)
}

#[routine]
fn wide_literals(a: u128) -> (u128, i128, i128, u128) {
    let big = 0xdead_beef_0bad_f00d_0123_4567_89ab_cdef;
    let least = -170_141_183_460_469_231_731_687_303_715_884_105_728;
    (a ^ big, least + (a >> 1) as i128, -1, 7u128)
}

const LARGE: u128 = 1 << 100;
const TABLE: [i128; 3] = [-1, i128::MIN, 1 << 65];

#[routine]
fn wide_constants(n: u32) -> (u128, i128, i128, u128, u32) {
    (
        u128::MAX,
        i128::MIN,
        TABLE[n as usize % 3],
        LARGE + n as u128,
        u128::BITS,
    )
}

#[routine]
fn wide_patterns(a: i128) -> u32 {
    match a {
        0 => 0,
        -1 => 1,
        1..=0xffff_ffff_ffff_ffff => 2,
        0x1_0000_0000_0000_0000 => 3,
        i128::MIN => 4,
        n if n < -(1 << 90) => 5,
        i128::MAX => 6,
        _ => 7,
    }
}

#[routine]
fn wide_ranges(a: u128, n: u32) -> u128 {
    let start = a >> 1;
    let mut sum = 0u128;
    for i in start..start + n as u128 % 9 {
        sum = sum.wrapping_add(i).rotate_left(3);
    }
    for i in (start..=start + 20).rev().step_by(7) {
        sum ^= i;
    }
    for i in -3..=n as i128 % 4 {
        sum = sum.wrapping_mul(5).wrapping_add(i as u128);
    }
    sum
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Account {
    id: u8,
    balance: i128,
    flag: bool,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Entry {
    Nothing,
    Deposit(u128),
    Transfer { from: u8, amount: i128 },
}

#[routine]
fn wide_in_aggregates(a: i128, b: u128) -> (Account, Entry, bool) {
    let mut account = Account {
        id: 7,
        balance: a,
        flag: a < 0,
    };
    let entry = if b % 3 == 0 {
        Entry::Deposit(b)
    } else if b % 3 == 1 {
        Entry::Transfer { from: 1, amount: a / 2 }
    } else {
        Entry::Nothing
    };
    match entry {
        Entry::Deposit(amount) => account.balance = account.balance.wrapping_add(amount as i128),
        Entry::Transfer { amount, .. } => account.balance -= amount,
        Entry::Nothing => {}
    }
    (account, entry, entry == Entry::Deposit(b))
}

#[routine]
fn wide_in_array(a: u128, i: u32) -> u128 {
    let mut table = [1u128; 6];
    for k in 1..6 {
        table[k] = table[k - 1].wrapping_mul(a | 1);
    }
    table[(i % 6) as usize]
}

#[routine]
fn wide_in_message(a: u128, b: i128) -> u128 {
    if a % 64 == 3 {
        panic!("no room for {a}");
    }
    assert!(b % 64 != -3, "debt of {b:?}");
    a
}

#[routine]
fn wide_in_assertion(a: u128, b: u64) -> u64 {
    assert!(a != b as u128 || b % 2 == 1);
    b
}

#[routine]
fn wide_with_wrapping(a: Wrapping<u128>, b: Wrapping<i128>) -> (Wrapping<u128>, Wrapping<i128>) {
    (a * a + Wrapping(1), -b * b - (b >> 3))
}

#[routine]
fn high_product(a: u64, b: u64) -> (u64, u64) {
    let product = a as u128 * b as u128;
    ((product >> 64) as u64, product as u64)
}

#[routine]
fn mul_mod_64(a: u64, b: u64, m: u64) -> u64 {
    (a as u128 * b as u128 % (m | 1) as u128) as u64
}

#[routine]
fn pcg(seed: u128, n: u32) -> u64 {
    let mut state = seed;
    for _ in 0..n % 8 {
        state = state
            .wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645)
            .wrapping_add(1);
    }
    ((state >> 64) as u64 ^ state as u64).rotate_right((state >> 122) as u32)
}

#[routine]
fn fnv(text: [u8; 5]) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for byte in text {
        hash ^= u128::from(byte);
        hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    hash
}

#[routine]
fn fibonacci_of_wide(n: u32) -> u128 {
    let (mut a, mut b) = (0, 1);
    for _ in 0..n % 190 {
        (a, b) = (b, a + b);
    }
    a
}

#[routine]
fn decimal_digits(a: u128) -> (u32, u32) {
    let (mut rest, mut digits, mut sum) = (a, 0, 0);
    while rest > 0 {
        sum += (rest % 10) as u32;
        rest /= 10;
        digits += 1;
    }
    (digits, sum)
}

#[routine]
fn gcd_of_wide(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[routine(callee)]
fn raise(to: &mut u128, by: &u128) {
    *to = to.wrapping_add(*by);
}

#[routine]
fn wide_by_reference(a: u128, b: u128) -> u128 {
    let mut sum = a;
    raise(&mut sum, &b);
    raise(&mut sum, &a);
    sum
}

#[routine(callee)]
fn twice<T: VmType + std::ops::Add<Output = T>>(x: T) -> T {
    x + x
}

#[routine]
fn wide_generic(a: u128) -> (u128, i128) {
    (twice(a >> 1), twice(-((a >> 2) as i128)))
}

#[routine]
fn wide_option(a: Option<u128>, b: u128) -> (u128, Option<i128>) {
    let signed = match a {
        Some(a) if a > b => Some(-(a as i64 as i128)),
        _ => None,
    };
    (a.unwrap_or(b), signed)
}
