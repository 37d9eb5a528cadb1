//! std's methods of iterators beyond the common ones: compared, from behind, ended early, repeated; and those of `Option` and `Result`.

use std::cmp::Ordering;
use std::iter::{Product, Sum};

use gpuvm::prelude::*;

cases! {
    greatest_by, equal, ordered, partly_ordered, sorted, from_behind, left_out_from_behind, left_out_by_taking, ends_of_adaptors, steps_back, peeks_back, tries_each, sums_of_options, sums_of_results, cycles, repeats_with,
    peeks, options, option_iterators, results, size_hints, size_hints_of_parts, sums_by_path,
}

#[routine]
fn greatest_by(a: u32, list: [u32; 8]) -> (Option<u32>, Option<(usize, u32)>, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    (
        xs.iter().copied().max_by(|x, y| (x % 16).cmp(&(y % 16))),
        xs.iter()
            .copied()
            .enumerate()
            .min_by(|(_, x), (_, y)| (x % 8).cmp(&(y % 8))),
        (0..a % 9).max_by(|x, y| (x % 3).cmp(&(y % 3))),
    )
}

#[routine]
fn equal(a: u32, list: [u32; 8]) -> (bool, bool, bool, bool) {
    let (xs, ys) = (&list[..(list[0] % 9) as usize], &list[..(a % 9) as usize]);
    (
        xs.iter().eq(ys.iter()),
        xs.iter().eq(xs.iter().rev()),
        xs.iter().ne(ys),
        (0..a % 4).eq([0, 1, 2]),
    )
}

#[routine]
fn ordered(a: u32, list: [u32; 8]) -> (Ordering, Ordering, bool, bool) {
    let (xs, ys) = (&list[..(list[0] % 9) as usize], &list[1..(a % 8) as usize + 1]);
    (
        xs.iter().cmp(ys.iter()),
        xs.iter().rev().cmp(ys.iter().rev()),
        xs.iter().lt(ys.iter()),
        xs.iter().ge(ys.iter()),
    )
}

#[routine]
fn partly_ordered(a: [f32; 3], b: [f32; 3]) -> (Option<Ordering>, bool, bool, bool) {
    (
        a.iter().partial_cmp(b.iter()),
        a.iter().le(b.iter()),
        a.iter().gt(b.iter()),
        a.iter().eq(b.iter()),
    )
}

#[routine]
fn sorted(a: u32, list: [u32; 8]) -> (bool, bool, bool) {
    let xs = &list[..(a % 5) as usize];
    (
        xs.iter().is_sorted(),
        xs.iter().is_sorted_by(|x, y| *x % 8 < *y % 8),
        xs.iter().is_sorted_by_key(|x| *x % 4),
    )
}

#[routine]
fn from_behind(a: u32, list: [u32; 8]) -> (Option<u32>, u32, Option<u32>, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    (
        xs.iter().rfind(|x| **x % 4 == a % 4).copied(),
        xs.iter().rfold(1u32, |h, x| h.wrapping_mul(31).wrapping_add(*x)),
        xs.iter().nth_back((a % 10) as usize).copied(),
        (0..a % 50).rfind(|n| n % 7 == 3),
    )
}

#[routine]
fn digest_of(of: impl Iterator<Item = u32>) -> u32 {
    of.fold(1, |hash: u32, x| hash.wrapping_mul(31).wrapping_add(x))
}

/// From lists and ranges elements are left out at once.
#[routine]
fn left_out_from_behind(a: u32, list: [u32; 8], signed: i32, byte: u8) -> [u32; 8] {
    let xs = &list[..(list[0] % 9) as usize];
    let (n, step) = ((a % 11) as usize, (a % 4) as usize + 1);
    [
        digest_of(xs.iter().rev().skip(n).copied()),
        digest_of(xs.iter().copied().rev().step_by(step)),
        digest_of(list.into_iter().rev().skip(n).rev()),
        digest_of(xs.windows(2).rev().step_by(step).map(|pair| pair[0] ^ pair[1])),
        digest_of(xs.iter().enumerate().rev().skip(n % 3).map(|(i, x)| i as u32 ^ x)),
        digest_of((a % 40..50).rev().skip(n).step_by(step).take(9)),
        digest_of((signed % 20..=7).rev().step_by(step).map(|x| x as u32)),
        digest_of(
            (byte..=u8::MAX)
                .rev()
                .nth(n)
                .into_iter()
                .chain((0..byte).rev().nth(n))
                .map(u32::from),
        ),
    ]
}

/// The even numbers below some.
#[derive(VmType, Clone, Copy)]
struct EvensBelow {
    at: u32,
    end: u32,
}

#[routine]
impl Iterator for EvensBelow {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.at >= self.end {
            return None;
        }
        self.at += 1;
        Some((self.at - 1) * 2)
    }
}

#[routine]
impl DoubleEndedIterator for EvensBelow {
    fn next_back(&mut self) -> Option<u32> {
        if self.at >= self.end {
            return None;
        }
        self.end -= 1;
        Some(self.end * 2)
    }
}

/// From others they are taken.
#[routine]
fn left_out_by_taking(a: u32, list: [u32; 8]) -> [u32; 6] {
    let xs = &list[..(list[0] % 9) as usize];
    let (n, step) = ((a % 7) as usize, (a % 4) as usize + 1);
    let evens = EvensBelow { at: a % 5, end: 12 };
    let mut seen = 0u32;
    let mapped = xs.iter().map(|x| {
        seen = seen.wrapping_mul(3).wrapping_add(*x);
        x ^ a
    });
    let mapped = digest_of(mapped.rev().skip(n));
    [
        mapped,
        seen,
        digest_of(evens.rev().step_by(step)),
        digest_of(evens.rev().skip(n).take(3)),
        digest_of(xs.iter().copied().filter(|x| x % 3 != 0).rev().step_by(step)),
        digest_of("größe 7".chars().rev().skip(n).map(u32::from)),
    ]
}

#[routine]
fn ends_of_adaptors(a: u32, list: [u32; 8]) -> [u32; 3] {
    let xs = &list[..(list[0] % 9) as usize];
    let mut seen = 0u32;
    let chained = xs
        .iter()
        .copied()
        .chain([a, 5])
        .rev()
        .fold(1u32, |h, x| h.wrapping_mul(31).wrapping_add(x));
    let mapped = xs
        .iter()
        .filter_map(|x| x.checked_sub(7))
        .rev()
        .fold(1u32, |h, x| h.wrapping_mul(31).wrapping_add(x));
    let inspected = xs
        .iter()
        .inspect(|x| seen = seen.wrapping_add(**x))
        .rev()
        .take(2)
        .fold(0u32, |h, x| h.wrapping_add(*x));
    [chained, mapped, inspected ^ seen]
}

#[routine]
fn steps_back(a: u32, b: u32) -> (u32, usize, Option<u32>) {
    let step = (b % 5) as usize + 1;
    let mut steps = (0..a % 40).step_by(step);
    let hash = (0..a % 40)
        .step_by(step)
        .rev()
        .fold(1u32, |h, x| h.wrapping_mul(31).wrapping_add(x));
    let length = steps.len();
    let _ = steps.next();
    (hash, length, steps.next_back())
}

#[routine]
fn peeks_back(a: u32, list: [u32; 8]) -> (Option<u32>, usize, Option<u32>) {
    let mut xs = list[..(a % 4) as usize].iter().copied().peekable();
    let first = xs.peek().copied();
    let length = xs.len();
    let _ = xs.next_back();
    (first, length, xs.next_back())
}

#[routine]
fn tries_each(a: u32, list: [u32; 8]) -> (Option<()>, Result<(), u32>, u32) {
    let mut seen = 0u32;
    let xs = &list[..(list[0] % 9) as usize];
    (
        xs.iter().try_for_each(|x| x.checked_sub(a).map(|_| ())),
        xs.iter().try_for_each(|x| {
            seen = seen.wrapping_add(1);
            if x % 4 == a % 4 { Err(*x) } else { Ok(()) }
        }),
        seen,
    )
}

#[routine]
fn sums_of_options(a: u32, list: [u32; 8]) -> (Option<u32>, Option<u64>) {
    let xs = &list[..(list[0] % 9) as usize];
    (
        xs.iter().map(|x| (x % 16).checked_sub(a % 3)).sum(),
        xs.iter().map(|x| u64::from(x % 16).checked_sub(1)).product(),
    )
}

#[routine]
fn digit(byte: u8) -> Result<u32, u8> {
    if byte.is_ascii_digit() {
        Ok(u32::from(byte - b'0'))
    } else {
        Err(byte)
    }
}

#[routine]
fn sums_of_results(a: u32, b: u32) -> (Result<u32, u8>, Result<u32, u8>) {
    let text = [b'0' + (a % 10) as u8, b'0' + (b % 11) as u8, b'9'];
    (
        text.iter().map(|x| digit(*x)).sum(),
        text.into_iter().map(digit).product::<Result<u32, u8>>(),
    )
}

#[routine]
fn cycles(a: u32, list: [u32; 8]) -> (u32, u32, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    let weighted = xs
        .iter()
        .zip([1u32, 3].into_iter().cycle())
        .fold(0u32, |sum, (x, weight)| sum.wrapping_add(x.wrapping_mul(weight)));
    let edges = xs
        .iter()
        .zip(xs.iter().cycle().skip(1))
        .fold(0u32, |h, (x, y)| h.wrapping_mul(31) ^ x ^ (y << 1));
    (weighted, edges, (0..a % 3).cycle().nth(7))
}

#[routine]
fn repeats_with(a: u32, b: u32) -> (u32, u32) {
    let mut state = a;
    let made = std::iter::repeat_with(|| {
        state = state.wrapping_mul(5).wrapping_add(1);
        state
    })
    .take((b % 5) as usize)
    .fold(0u32, |h, x| h.rotate_left(3) ^ x);
    (made, state)
}

#[routine]
fn peeks(a: u32, list: [u32; 8]) -> (u32, Option<u32>, Option<u32>) {
    let mut xs = list.iter().copied().peekable();
    let mut runs = 0;
    while let Some(x) = xs.next() {
        runs += 1;
        while xs.next_if_eq(&x).is_some() {}
    }
    let mut others = [a, 2, 3].into_iter().peekable();
    if let Some(x) = others.peek_mut() {
        *x ^= 1;
    }
    (runs, others.next_if(|x| x % 2 == 0), others.next())
}

#[routine]
fn options(a: u32, b: u32) -> (u32, usize, Result<Option<u32>, u8>, (Option<u32>, Option<u8>), u32) {
    let some = a.checked_sub(b);
    let list = [a, b];
    let part: Option<&[u32]> = list.get((b % 4) as usize..);
    let judged: Option<Result<u32, u8>> = some.map(|x| if x % 2 == 0 { Ok(x) } else { Err(x as u8) });
    let mut slot = some;
    *slot.get_or_insert_default() ^= 9;
    (
        some.unwrap_or_default(),
        part.unwrap_or_default().len(),
        judged.transpose(),
        some.map(|x| (x, x as u8)).unzip(),
        slot.unwrap_or(1),
    )
}

#[routine]
fn option_iterators(a: u32, b: u32) -> (u32, u32, [Option<u32>; 3]) {
    let mut slots = [a.checked_sub(b), b.checked_sub(a), None];
    let seen = slots.iter().flatten().fold(0u32, |h, x| h.wrapping_add(*x));
    for x in slots.iter_mut().flatten() {
        *x ^= 5;
    }
    let mut more = 0;
    for x in &slots[0] {
        more ^= x;
    }
    if let Some(x) = slots[1].iter_mut().next() {
        *x = 3;
    }
    (seen, more + slots[0].iter().count() as u32, slots)
}

#[routine]
fn results(a: u32, b: u32) -> (u32, Option<Result<u32, u8>>, Result<u32, u16>, u32) {
    let judged: Result<u32, u8> = if a % 3 == 0 { Err(b as u8) } else { Ok(a) };
    let mut seen = 0u32;
    let looked = judged.inspect(|x| seen = *x).inspect_err(|e| seen = u32::from(*e) << 8);
    (
        looked.unwrap_or_default(),
        judged.map(|x| x.checked_sub(b)).transpose(),
        judged.or(if b % 2 == 0 { Ok(b) } else { Err(b as u16) }),
        seen,
    )
}

#[routine]
fn size_hints(a: u32, b: u32) -> [(usize, Option<usize>); 9] {
    let list = [a, b, 3, 4, 5];
    let count = a as usize % 4;
    let mut taken = list.iter().take_while(|x| **x > b);
    let before = taken.size_hint();
    taken.next();
    let mut chained = list.iter().chain(&[1, 2]);
    chained.nth(count + 2);
    [
        list.iter().filter(|x| **x > 2).size_hint(),
        list.iter().skip(count).skip_while(|x| **x > 2).size_hint(),
        list.iter().take(count).map_while(|x| x.checked_sub(1)).size_hint(),
        before,
        taken.size_hint(),
        chained.size_hint(),
        list.iter().filter(|x| **x > 3).chain(&list[..count]).size_hint(),
        (0..a % 9).step_by(2).filter_map(|x| x.checked_sub(1)).size_hint(),
        list.iter()
            .scan(0_u32, |sum, x| {
                *sum ^= x;
                Some(*sum)
            })
            .size_hint(),
    ]
}

#[routine]
fn size_hints_of_parts(a: u32, list: [u32; 8]) -> [(u32, Option<u32>); 8] {
    let number = |(least, most): (usize, Option<usize>)| (least as u32, most.map(|most| most as u32));
    let xs = &list[..(list[0] % 9) as usize];
    let mut ranges = xs.iter().flat_map(|x| 0..*x % 4);
    let untouched = number(ranges.size_hint());
    ranges.next();
    let begun = number(ranges.size_hint());
    let pairs = [[a, 1], [2, 3], [4, 5]];
    let mut flat = pairs.iter().flatten();
    flat.nth(a as usize % 3);
    let arrays = number(flat.size_hint());
    let triples = number(xs.iter().flat_map(|x| [*x; 3]).size_hint());
    let mut even = xs.iter().filter(|x| **x % 2 == 0).peekable();
    let unseen = number(even.size_hint());
    even.peek();
    let seen = number(even.size_hint());
    let mut counted = (0..a % 5).peekable();
    counted.peek();
    counted.next_if(|x| *x == 0);
    let mut fused = xs.iter().skip_while(|x| **x > 9).fuse();
    fused.nth(a as usize % 9);
    [
        untouched,
        begun,
        arrays,
        triples,
        unseen,
        seen,
        number(counted.size_hint()),
        number(fused.size_hint()),
    ]
}

#[routine]
fn sums_by_path(list: [u32; 5], x: f32) -> (u32, f32, u64) {
    (
        u32::sum(list.iter().map(|x| x % 1000)),
        f32::product(list.iter().take(3).map(|y| x + (y % 7) as f32)),
        u64::sum([1, 2, u64::from(list[0])].into_iter()),
    )
}
