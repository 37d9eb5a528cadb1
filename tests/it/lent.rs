//! Iterators behind `&mut`: what a method leaves of one is there afterwards, while a copy of an iterator has a state of its own.

use gpuvm::prelude::*;

cases! { copied_state, lent_range, lent_slice, lent_lines, lent_to_a_routine, lent_in_a_struct, loop_over_lent }

#[derive(VmType, Clone, Copy)]
struct Countdown {
    n: u32,
}

#[routine]
impl Iterator for Countdown {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.n == 0 {
            return None;
        }
        self.n -= 1;
        Some(self.n)
    }
}

#[routine]
fn copied_state(n: u32) -> (u32, u32, u32) {
    let mut first = Countdown { n: n % 50 };
    let second = first;
    let sum: u32 = first.by_ref().take(2).sum();
    (sum, first.n, second.n)
}

#[routine]
fn lent_range(n: u32, step: u32) -> (u32, u32, usize, usize) {
    let mut range = 0..n % 40;
    let it = &mut range;
    let mut total = 0u32;
    for x in it.take(3) {
        total += x;
    }
    let some: u32 = it
        .by_ref()
        .skip(1)
        .step_by((step % 3 + 1) as usize)
        .take(2)
        .map(|x| x * 3)
        .sum();
    let count = it.filter(|x| x % 4 == 1).count();
    (total, some, count, range.len())
}

#[routine]
fn lent_slice(list: [u32; 8]) -> (u32, Option<u32>, u32, usize) {
    let mut it = list[..(list[0] % 9) as usize].iter();
    let head = it.by_ref().take(2).fold(7u32, |a, x| a ^ *x);
    let most = (&mut it).enumerate().take(2).map(|(i, x)| i as u32 ^ *x).max();
    let left = it.len();
    (head, most, it.rev().fold(0u32, |a, x| a.wrapping_mul(31) ^ *x), left)
}

#[routine]
fn lent_lines(list: [u32; 8]) -> (u32, u32, usize) {
    let mut it = list.iter().copied();
    let mut hash = 0u32;
    loop {
        let line = it.by_ref().take_while(|x| x % 3 != 0).fold(0u32, |a, x| a ^ x);
        hash = hash.wrapping_mul(17) ^ line;
        if it.next().is_none() {
            break;
        }
    }
    // Both are given a copy.
    let last = Countdown { n: hash % 9 + 1 };
    (hash, last.map(|x| x + 1).sum(), last.count())
}

#[routine]
fn two_of(it: &mut Countdown) -> u32 {
    it.take(2).sum::<u32>() * 100 + it.next().unwrap_or(7)
}

#[routine]
fn lent_to_a_routine(n: u32) -> (u32, u32, u32) {
    let mut it = Countdown { n: n % 12 };
    let first = two_of(&mut it);
    let second = two_of(&mut it);
    (first, second, it.n)
}

#[routine]
fn lent_in_a_struct(n: u32) -> (u32, u32, u32) {
    let mut it = Countdown { n: n % 9 };
    let sum = {
        let pair = (&mut it, n % 4);
        pair.0.take(pair.1 as usize).sum::<u32>()
    };
    let rest = it.last();
    (sum, rest.unwrap_or(99), it.n)
}

#[routine]
fn loop_over_lent(n: u32, until: u32) -> (u32, u32) {
    let mut it = Countdown { n: n % 30 };
    let mut seen = 0;
    for x in &mut it {
        seen += 1;
        if x == until % 30 {
            break;
        }
    }
    (seen, it.fold(0, |a, x| a * 3 % 1000 + x))
}
