//! core's methods of integers that gpuvm's own library has, `NonZero`, `Saturating`, `Wrapping`, `ControlFlow`, and functions of `mem`.

use std::cmp::Ordering;
use std::num::{NonZeroU8, NonZeroU32, Saturating, Wrapping};
use std::ops::ControlFlow;

use gpuvm::prelude::*;

cases! {
    multiples, next_multiples, powers_of_two, logarithms, logarithms_of_base, logarithms_that_trap, logarithms_128, euclid, euclid_small, overflowing, overflowing_traps,
    saturating, saturating_small, mixed_add, mixed_sub, mixed_small, mixed_128, casts, means, means_128, carries, big_endian, bytes_of_floats, shifts, roots,
    non_zero, saturating_numbers, wrapping_numbers, control_flow, orders, takes, range_ends,
    total_order, middles_of_floats, neighbours_of_floats, float_functions_by_path,
}

#[routine]
fn multiples(a: u32, b: u32) -> (bool, bool, bool) {
    (
        a.is_multiple_of(b % 8),
        (a as u8).is_multiple_of(b as u8),
        u64::from(a).is_multiple_of(3),
    )
}

#[routine]
fn next_multiples(a: u32, b: u32) -> (u32, Option<u8>, Option<u32>) {
    let rounded = (a / 3).next_multiple_of(b % 16);
    (
        rounded,
        (a as u8).checked_next_multiple_of(b as u8),
        a.checked_next_multiple_of(b),
    )
}

#[routine]
fn powers_of_two(a: u32, b: u64) -> (Option<u32>, Option<u64>, Option<u8>, Option<u128>) {
    (
        a.checked_next_power_of_two(),
        b.checked_next_power_of_two(),
        (a as u8).checked_next_power_of_two(),
        (u128::from(b) << 65).checked_next_power_of_two(),
    )
}

#[routine]
fn logarithms(a: u32, b: u64, c: i32) -> (Option<u32>, Option<u32>, Option<u32>, Option<u32>, Option<u32>) {
    (
        a.checked_ilog10(),
        b.checked_ilog10(),
        c.checked_ilog2(),
        (c as i8).checked_ilog10(),
        (a as u8).checked_ilog2(),
    )
}

#[routine]
fn logarithms_of_base(a: u32, b: u32, c: i32) -> (Option<u32>, Option<u32>) {
    (a.checked_ilog(b % 20), c.checked_ilog(b as i32 % 9))
}

#[routine]
fn logarithms_that_trap(a: u32, b: u32) -> (u32, u32) {
    ((a % 1000).ilog10(), (a % 77).ilog(b % 13))
}

#[routine]
fn logarithms_128(a: u128) -> Option<u32> {
    a.checked_ilog10()
}

#[routine]
fn euclid(a: i32, b: i32) -> (Option<i32>, Option<i32>, i32, i32) {
    let c = if b == 0 { 7 } else { b };
    (
        a.checked_div_euclid(b),
        a.checked_rem_euclid(b),
        a.wrapping_div_euclid(c),
        a.wrapping_rem_euclid(c),
    )
}

#[routine]
fn euclid_small(a: i8, b: i8) -> ((i8, bool), (i8, bool), (i8, bool), Option<i8>) {
    (
        a.overflowing_div_euclid(b),
        a.overflowing_rem_euclid(b),
        a.overflowing_div(b),
        a.checked_div_euclid(b),
    )
}

#[routine]
fn overflowing(a: i32, b: u32) -> ((i32, bool), (u32, bool), (i32, bool), (u32, bool)) {
    (
        a.overflowing_abs(),
        b.overflowing_pow(b % 5),
        a.overflowing_shl(b % 40),
        b.overflowing_shr(b % 40),
    )
}

#[routine]
fn overflowing_traps(a: i32, b: i32) -> ((i32, bool), i32) {
    (a.overflowing_rem(b), a.saturating_div(b))
}

#[routine]
fn saturating(a: i32, b: u32) -> (i32, i32, i32, u32) {
    (
        a.saturating_neg(),
        a.saturating_abs(),
        a.saturating_pow(b % 5),
        b.saturating_pow(3),
    )
}

#[routine]
fn saturating_small(a: i8, b: u8) -> (i8, i8, i8, u8, i64) {
    (
        a.saturating_neg(),
        a.saturating_abs(),
        a.saturating_pow(u32::from(b % 4)),
        b.saturating_pow(2),
        i64::from(a).saturating_pow(u32::from(b)),
    )
}

#[routine]
fn mixed_add(a: u32, b: i32) -> (Option<u32>, u32, u32, (u32, bool), Option<i32>, i32, i32) {
    (
        a.checked_add_signed(b),
        a.saturating_add_signed(b),
        a.wrapping_add_signed(b),
        a.overflowing_add_signed(b),
        b.checked_add_unsigned(a),
        b.saturating_add_unsigned(a),
        b.wrapping_add_unsigned(a),
    )
}

#[routine]
fn mixed_sub(a: u32, b: i32) -> (Option<u32>, u32, Option<i32>, i32, i32, (i32, bool), Option<i32>) {
    (
        a.checked_sub_signed(b),
        a.saturating_sub_signed(b),
        b.checked_sub_unsigned(a),
        b.saturating_sub_unsigned(a),
        b.wrapping_sub_unsigned(a),
        b.overflowing_sub_unsigned(a),
        a.checked_signed_diff(b as u32),
    )
}

#[routine]
fn mixed_small(a: u8, b: i8) -> (Option<u8>, Option<i8>, u8, i8, Option<i8>) {
    (
        a.checked_add_signed(b),
        b.checked_sub_unsigned(a),
        a.saturating_add_signed(b),
        b.saturating_add_unsigned(a),
        a.checked_signed_diff(b as u8),
    )
}

#[routine]
fn mixed_128(a: u128, b: i128) -> (Option<u128>, Option<i128>) {
    (a.checked_add_signed(b), b.checked_sub_unsigned(a))
}

#[routine]
fn casts(a: u32, b: i8) -> (i32, u8, i64) {
    (a.cast_signed(), b.cast_unsigned(), (u64::from(a) << 32).cast_signed())
}

#[routine]
fn means(a: u32, b: u32, c: i8, d: i8) -> (u32, i32, i8, u8) {
    (
        a.midpoint(b),
        (a as i32).midpoint(b as i32),
        c.midpoint(d),
        u8::midpoint(c as u8, d as u8),
    )
}

#[routine]
fn means_128(a: i128, b: i128) -> i128 {
    a.midpoint(b)
}

#[routine]
fn carries(a: u32, b: u32) -> ((u32, bool), (u8, bool)) {
    (
        a.carrying_add(b, a % 2 == 0),
        (a as u8).borrowing_sub(b as u8, b % 2 == 0),
    )
}

#[routine]
fn big_endian(a: u32, b: u16) -> (u32, u16, u32, [u8; 1]) {
    (a.to_be(), u16::from_be(b), a.to_le(), (b as u8).to_be_bytes())
}

#[routine]
fn bytes_of_floats(a: u32, b: u64) -> ([u8; 4], [u8; 8], u32) {
    let x = f32::from_bits(a % 0x7f80_0000);
    let y = f64::from_bits(b % (0x7ff << 52));
    (
        x.to_le_bytes(),
        y.to_be_bytes(),
        f32::from_le_bytes(x.to_le_bytes()).to_bits(),
    )
}

#[routine]
fn shifts(a: u32, b: i32) -> (u32, u32, i32, u8) {
    let by = a % 50;
    (
        a.unbounded_shl(by),
        a.unbounded_shr(by),
        b.unbounded_shr(by),
        (a as u8).unbounded_shr(by),
    )
}

#[routine]
fn roots(a: i32) -> Option<i32> {
    a.checked_isqrt()
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Link {
    next: Option<NonZeroU8>,
    weight: NonZeroU32,
}

#[routine]
fn non_zero(a: u32, b: u8) -> (Link, Option<NonZeroU8>, u32, bool) {
    let weight = NonZeroU32::new(a).unwrap_or(NonZeroU32::MIN);
    let link = Link {
        next: NonZeroU8::new(b),
        weight,
    };
    let next = link.next.and_then(|next| next.checked_add(200));
    let sum = link.next.map_or(0, |next| u32::from(next.get())) ^ weight.get();
    (
        link,
        next,
        sum ^ weight.trailing_zeros(),
        Some(weight) > NonZeroU32::new(b as u32),
    )
}

#[routine]
fn saturating_numbers(a: u8, b: i32) -> (Saturating<u8>, Saturating<i32>, bool) {
    let mut x = Saturating(a) + Saturating(100) - Saturating(20);
    x *= Saturating(a % 3);
    let mut y = Saturating(b) * Saturating(3);
    y -= Saturating(b);
    (x, y, x < Saturating(60))
}

#[routine]
fn wrapping_numbers(a: u32, b: u32) -> (Wrapping<u32>, u32) {
    let mut x = Wrapping(a);
    x += b;
    x *= 3;
    x ^= Wrapping(b.rotate_left(7));
    let sum: Wrapping<u32> = [x, Wrapping(b)].iter().sum();
    (x, sum.0)
}

#[routine]
fn first_great(values: &[u32], limit: u32) -> ControlFlow<u32, usize> {
    let mut seen = 0;
    for x in values {
        if *x > limit {
            return ControlFlow::Break(*x);
        }
        seen += 1;
    }
    ControlFlow::Continue(seen)
}

#[routine]
fn both(values: &[u32], limit: u32) -> ControlFlow<u32, bool> {
    let left = first_great(&values[..4], limit)?;
    let right = first_great(&values[4..], limit)?;
    ControlFlow::Continue(left == right)
}

#[routine]
fn control_flow(a: u32, list: [u32; 8]) -> (ControlFlow<u32, bool>, bool, Option<u32>, ControlFlow<u32>) {
    let flow = both(&list, a);
    let each = list.iter().try_for_each(|x| {
        if *x == a {
            ControlFlow::Break(*x)
        } else {
            ControlFlow::Continue(())
        }
    });
    (flow, flow.is_break(), flow.break_value(), each)
}

#[routine]
fn orders(a: u8, b: u8) -> (Ordering, Ordering) {
    let first = (a % 4).cmp(&(b % 4));
    (first.then_with(|| b.cmp(&a)), first.reverse())
}

#[routine]
fn takes(a: u32, b: u32) -> (u32, u32, [u8; 2], Option<u32>) {
    let mut x = a;
    let mut pair = [a as u8, b as u8];
    let mut some = Some(b);
    let taken = std::mem::take(&mut x);
    let bytes = std::mem::take(&mut pair);
    let inside = std::mem::take(&mut some);
    (taken, x ^ u32::from(pair[0]), bytes, inside.or(some))
}

#[routine]
fn range_ends(a: u32, b: u32) -> (bool, bool, u32, u32) {
    let (open, closed) = (a..b, a..=b);
    (
        open.is_empty(),
        closed.is_empty(),
        *closed.start(),
        closed.end() ^ open.start,
    )
}

#[routine]
fn total_order(a: f32, b: f32, c: f64, d: f64) -> (std::cmp::Ordering, std::cmp::Ordering, [f64; 3]) {
    let mut sorted = [c, d, -0.0];
    sorted.sort_by(f64::total_cmp);
    (a.total_cmp(&b), f64::total_cmp(&c, &d), sorted)
}

#[routine]
fn middles_of_floats(a: f32, b: f32, c: f64, d: f64) -> (f32, f64) {
    (a.midpoint(b), f64::midpoint(c, d))
}

#[routine]
fn neighbours_of_floats(a: f32, b: f64) -> (f32, f32, f64, f64, bool, bool) {
    (
        a.next_up(),
        a.next_down(),
        b.next_up(),
        b.next_down(),
        a.is_subnormal(),
        b.is_subnormal(),
    )
}

#[routine]
fn float_functions_by_path(list: [f32; 4], a: f64, b: f64) -> (f32, [f32; 4], f64, Option<f64>) {
    let least = list.iter().copied().fold(f32::INFINITY, f32::min);
    (
        least,
        list.map(f32::sin),
        [b].into_iter().fold(a, f64::max),
        Some(b).map(f64::cbrt),
    )
}
