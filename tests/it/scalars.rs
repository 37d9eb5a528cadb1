//! Arithmetic, comparison and conversion of the 32-bit scalars, in expressions as a user writes them.

use gpuvm::prelude::*;

cases! {
    polynomial, horner, int_mix, bool_algebra, compare_chain, float_compare, casts_round_trip, float_to_int,
    signed_shift, negative_zero, mean, lerp, quadratic_roots, bit_tricks, float_rem,
}

#[routine]
fn polynomial(x: f32, y: f32) -> f32 {
    3.0 * x * x - 2.0 * x * y + y * y - 7.5
}

#[routine]
fn horner(x: f32) -> f32 {
    (((0.5 * x + 1.25) * x - 3.0) * x + 0.125) * x - 1.0
}

#[routine]
fn int_mix(a: i32, b: i32) -> i32 {
    (a ^ b).wrapping_mul(7) - (a & 0xff) + (b | 3) % 5
}

#[routine]
fn bool_algebra(a: bool, b: bool, c: u32) -> bool {
    let odd = c % 2 == 1;
    (a & b) ^ (odd | !a) != (b && !odd)
}

#[routine]
fn compare_chain(a: i32, b: i32, c: u32) -> u32 {
    let mut bits = 0;
    if a < b {
        bits |= 1;
    }
    if a <= b {
        bits |= 2;
    }
    if a > b {
        bits |= 4;
    }
    if a >= b {
        bits |= 8;
    }
    if a == b {
        bits |= 16;
    }
    if a != b {
        bits |= 32;
    }
    if c > a as u32 {
        bits |= 64;
    }
    bits
}

#[routine]
fn float_compare(a: f32, b: f32) -> (bool, bool, bool, bool) {
    (a < b, a <= b, a == b, a != b)
}

#[routine]
fn casts_round_trip(a: u32, b: i32, f: f32) -> (f32, i32, u32) {
    let wide = a as f32 + b as f32;
    (wide, a as i32 ^ b, (f as i32) as u32 ^ f as u32)
}

#[routine]
fn float_to_int(f: f32) -> (i32, u32) {
    (f as i32, f as u32)
}

#[routine]
fn signed_shift(a: i32, n: u32) -> (i32, u32) {
    let n = n & 31;
    (a >> n, (a as u32) >> n)
}

#[routine]
fn negative_zero(a: f32) -> f32 {
    // Adding 0.0 and subtracting 0.0 differ for −0.0, so neither may be folded away alike.
    let sum = a + 0.0;
    let difference = a - 0.0;
    if sum.to_bits() == difference.to_bits() {
        -a
    } else {
        0.0 - difference
    }
}

#[routine]
fn mean(a: f32, b: f32, c: f32) -> f32 {
    (a + b + c) / 3.0
}

#[routine]
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

#[routine]
fn quadratic_roots(a: f32, b: f32, c: f32) -> (f32, f32) {
    let d = b * b - 4.0 * a * c;
    if d < 0.0 {
        return (f32::NAN, f32::NAN);
    }
    let root = d.sqrt();
    ((-b - root) / (2.0 * a), (-b + root) / (2.0 * a))
}

#[routine]
fn bit_tricks(x: u32) -> (u32, bool, u32) {
    let lowest = x & x.wrapping_neg();
    let power_of_two = x != 0 && x & (x - 1) == 0;
    let spread = (x | x << 8) & 0x00ff_00ff;
    (lowest, power_of_two, spread)
}

#[routine]
fn float_rem(a: f32, b: f32) -> f32 {
    a % b + (a / b) % 1.0
}
