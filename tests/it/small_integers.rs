//! `u8`, `i8`, `u16` and `i16`, each in one word: wrapping at their own width, extension, casts, loops.

use gpuvm::prelude::*;

cases! {
    byte_arithmetic, signed_byte_arithmetic, short_mix, casts_between, byte_shifts, byte_rotations, byte_comparisons, checksum,
    saturating_pixels, byte_array, nibbles, compound_small, small_counts, packed_color, small_negation, widening_product,
}

#[routine]
fn byte_arithmetic(a: u8, b: u8) -> (u8, u8, u8) {
    (a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b))
}

#[routine]
fn signed_byte_arithmetic(a: i8, b: i8) -> (i8, i8, Option<i8>) {
    (a.wrapping_add(b), a / 3 - b / 3, a.checked_sub(b))
}

#[routine]
fn short_mix(a: i16, b: u16) -> (i16, u16) {
    ((a >> 2) ^ b as i16, (b << 3) | (a as u16 & 0xf0))
}

#[routine]
fn casts_between(a: i32, b: u8, c: i16) -> (u8, i8, i16, u16, i32, u32) {
    (a as u8, b as i8, a as i16, c as u16, (b as i8) as i32, c as u32)
}

#[routine]
fn byte_shifts(a: u8, b: i8, n: u32) -> (u8, u8, i8, i8) {
    let n = n % 8;
    (a << n, a >> n, b << n, b >> n)
}

#[routine]
fn byte_rotations(a: u8, b: u16, n: u32) -> (u8, u16, u8) {
    (a.rotate_left(n % 8), b.rotate_right(n % 16), a.reverse_bits())
}

#[routine]
fn byte_comparisons(a: i8, b: i8, c: u16) -> (bool, bool, bool) {
    (a < b, (a as u8) < (b as u8), c >= a as u16)
}

#[routine]
fn checksum(a: u32, b: u32) -> u16 {
    let mut sum = 0u16;
    for shift in [0, 8, 16, 24] {
        let x = (a >> shift) as u8;
        let y = (b >> shift) as u8;
        sum = sum.rotate_right(1).wrapping_add(x as u16).wrapping_mul(3) ^ y as u16;
    }
    sum
}

#[routine]
fn saturating_pixels(a: u8, b: u8, gain: f32) -> (u8, u8, u8) {
    ((a as f32 * gain) as u8, a.saturating_add(b), a.saturating_sub(b))
}

#[routine]
fn byte_array(a: u32, i: u32) -> [u8; 4] {
    let mut bytes = [a as u8, (a >> 8) as u8, (a >> 16) as u8, (a >> 24) as u8];
    bytes[(i % 4) as usize] ^= 0xa5;
    let [p, q, r, s] = bytes;
    [s, r, q, p]
}

#[routine]
fn nibbles(a: u8) -> (u8, u8, u32) {
    let (high, low) = (a >> 4, a & 15);
    (
        high * 16 + low,
        low.pow(2),
        high.count_ones() + low.leading_zeros() * 10,
    )
}

#[routine]
fn compound_small(a: u8, b: i16) -> (u8, i16) {
    let (mut x, mut y) = (a, b);
    x |= 0x11;
    x /= 3;
    x += 100;
    x <<= 1;
    y >>= 3;
    y -= 17;
    y %= 100;
    y ^= -1;
    (x, y)
}

#[routine]
fn small_counts(a: i8, b: u16) -> (u32, u32, u32, u16) {
    (a.leading_zeros(), b.trailing_zeros(), a.count_zeros(), b.swap_bytes())
}

#[routine]
fn packed_color(r: u8, g: u8, b: u8) -> (u16, u8) {
    let packed = (r as u16 >> 3) << 11 | (g as u16 >> 2) << 5 | b as u16 >> 3;
    (packed, ((packed >> 11) as u8) << 3)
}

#[routine]
fn small_negation(a: i8, b: i16) -> (i8, i16, i8, u8, u32) {
    // The least numbers as well, which have no counterpart.
    let sizes = u32::from(a.unsigned_abs()) << 16 | u32::from(b.unsigned_abs());
    (a.wrapping_neg(), -(b / 2), !a, a.unsigned_abs(), sizes)
}

#[routine]
fn widening_product(a: u8, b: i8, c: u16) -> (i32, u32) {
    (a as i32 * b as i32, c as u32 * c as u32)
}
