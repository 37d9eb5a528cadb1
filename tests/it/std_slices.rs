//! std's methods of slices and arrays, and functions of `mem`, `cmp` and `array`.

use std::cmp::Ordering;

use gpuvm::prelude::*;

cases! {
    gets, ends, splits, swaps, fills_and_reverses, rotations, copies, finds, searches, sorts, sorts_by_key, sorted_or_not, memory, least_and_most, bytes, ascii,
    sorts_long, slices_compared, slices_of_floats_compared,
}

#[routine]
fn gets(a: u32, list: [u32; 8]) -> (Option<u32>, u32, Option<usize>, bool) {
    let xs = &list[..(list[0] % 9) as usize];
    let i = (a % 40) as usize;
    let mut own = [a, 1, 2];
    if let Some(x) = own.get_mut(i) {
        *x ^= 9;
    }
    (
        xs.get(i).copied(),
        own[0] ^ own[1] ^ own[2],
        xs.get(i..).map(|rest| rest.len()),
        xs.get(1..i).is_some(),
    )
}

#[routine]
fn ends(a: u32, list: [u32; 8]) -> (Option<u32>, Option<u32>, u32, usize) {
    let xs = &list[..(list[0] % 9) as usize];
    let part = &xs[..(a % 3) as usize];
    let mut own = [a, 5, 6];
    if let Some(last) = own.last_mut() {
        *last = 1;
    }
    if let Some(first) = own.first_mut() {
        *first ^= 3;
    }
    let length = match part.split_first() {
        Some((_, rest)) => rest.len(),
        None => 99,
    };
    (part.first().copied(), part.last().copied(), own[0] ^ own[2], length)
}

#[routine]
fn splits(a: u32, b: u32) -> ([u32; 5], usize) {
    let mut values = [a, b, 3, 4, 5];
    let middle = (b % 7) as usize;
    let (left, right) = values.split_at_mut(middle);
    if let (Some(x), Some(y)) = (left.first_mut(), right.first_mut()) {
        std::mem::swap(x, y);
    }
    let (left, _) = values.split_at((a % 6) as usize);
    let length = left.len();
    (values, length)
}

#[routine]
fn swaps(a: u32, b: u32) -> [u32; 4] {
    let mut values = [a, b, 3, 4];
    values.swap((a % 4) as usize, (b % 5) as usize);
    values
}

#[routine]
fn fills_and_reverses(a: u32, b: u32) -> [u32; 7] {
    let mut values = [a, b, 3, 4, 5, 6, 7];
    values[..3].reverse();
    values[(b % 7) as usize..].fill(a);
    values.reverse();
    values
}

#[routine]
fn rotations(a: u32, b: u32) -> ([u32; 6], [u32; 6]) {
    let mut left = [a, b, 3, 4, 5, 6];
    let mut right = left;
    left.rotate_left((a % 8) as usize);
    right[1..].rotate_right((b % 6) as usize);
    (left, right)
}

#[routine]
fn copies(a: u32, list: [u32; 8]) -> [u32; 4] {
    let xs = &list[..(list[0] % 9) as usize];
    let mut values = [0; 4];
    let n = (a % 5) as usize;
    values[..n].copy_from_slice(&xs[..(a % 4) as usize]);
    values
}

#[routine]
fn finds(a: u32, list: [u32; 8]) -> (bool, bool, bool) {
    let xs = &list[..(list[0] % 9) as usize];
    let own = [a % 3, 1, 2];
    (
        own.contains(&0),
        own.starts_with(&[1, 1]),
        xs.ends_with(&own[..(a % 2) as usize]),
    )
}

#[routine]
fn searches(a: u32, b: u32) -> (Result<usize, usize>, Result<usize, usize>, usize) {
    let sorted = [1, 3, 3, 3, 8, 20, 20, 31];
    let part = &sorted[..(b % 9) as usize];
    (
        part.binary_search(&(a % 33)),
        part.binary_search_by_key(&(a % 16), |x| x / 2),
        part.partition_point(|x| *x < a % 33),
    )
}

#[routine]
fn sorts(a: u32, b: u32) -> ([u32; 6], [i32; 4]) {
    let mut values = [a, b, a ^ b, 3, a / 3, b / 5];
    values.sort_unstable();
    let mut signed = [a as i32, -3, b as i32, 0];
    signed[..3].sort();
    (values, signed)
}

#[routine]
fn sorts_by_key(a: u32, b: u32) -> [(u32, u32); 6] {
    let mut pairs = [(a, 0), (b, 1), (a ^ b, 2), (3, 3), (a / 3, 4), (b / 5, 5)];
    pairs.sort_by_key(|(x, _)| x % 3);
    pairs[1..].sort_unstable_by_key(|pair| pair.1 % 2);
    pairs
}

#[routine]
fn sorts_long(a: u32, b: u32) -> (u32, bool) {
    let mut state = a;
    let mut values = [0u32; 40];
    for x in &mut values {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        *x = state >> (b % 30);
    }
    values.sort();
    (
        values.iter().fold(0, |h: u32, x| h.rotate_left(3) ^ x),
        values.is_sorted(),
    )
}

#[routine]
fn sorted_or_not(a: u32, b: u32) -> (bool, bool) {
    ([a % 4, b % 4, 3].is_sorted(), [a, b][..1].is_sorted())
}

#[routine]
fn memory(a: u32, b: u32) -> (u32, u32, u32, u32) {
    let (mut x, mut y) = (a, b);
    std::mem::swap(&mut x, &mut y);
    let old = std::mem::replace(&mut x, 7);
    (x, y, old, a ^ b)
}

#[routine]
fn least_and_most(a: u32, b: u32) -> (u32, u32, (u32, u32)) {
    (
        std::cmp::max(a, b),
        std::cmp::min(a, b),
        std::cmp::max((a % 2, 1), (b % 2, 0)),
    )
}

#[routine]
fn bytes(a: u32, b: u64) -> ([u8; 4], [u8; 4], u32, u64, u32) {
    let little = a.to_le_bytes();
    let big = a.to_be_bytes();
    (
        little,
        big,
        u32::from_be_bytes(little),
        u64::from_le_bytes(b.to_be_bytes()),
        u32::from(u16::from_le_bytes([big[0], big[3]])),
    )
}

#[routine]
fn ascii(a: u8, b: u8) -> (bool, bool, bool, bool, u8, u8, bool) {
    (
        a.is_ascii_digit(),
        a.is_ascii_alphabetic(),
        a.is_ascii_whitespace(),
        a.is_ascii_punctuation(),
        a.to_ascii_lowercase(),
        b.to_ascii_uppercase(),
        a.eq_ignore_ascii_case(&b),
    )
}

#[routine]
fn slices_compared(a: [u8; 8], b: [u8; 8]) -> ([bool; 8], [Ordering; 2], bool) {
    let (m, n) = ((a[0] % 9) as usize, (b[0] % 9) as usize);
    // Often a long way equal.
    let x = &a[..m];
    let y = if b[1] % 2 == 0 { &a[..n] } else { &b[..n] };
    let three = [a[0], a[1], a[2]];
    (
        [x == y, x != y, x < y, x <= y, x > y, x >= y, x == three, three != *y],
        [x.cmp(y), y.cmp(x)],
        x.partial_cmp(y) == Some(Ordering::Less),
    )
}

#[routine]
fn slices_of_floats_compared(a: [f32; 4], b: [f32; 4], m: u32, n: u32) -> ([bool; 6], Option<Ordering>) {
    let (x, y) = (&a[..(m % 5) as usize], &b[..(n % 5) as usize]);
    ([x == y, x != y, x < y, x <= y, x > y, x >= y], x.partial_cmp(y))
}
