//! `Deref` over several levels, and what is behind one as the receiver of a method that changes it.

use core::ops::{Deref, DerefMut};
use gpuvm::prelude::*;

cases! {
    few:
    through_two, fields_through_two, changed_behind_guard, named_deep, order_kept, kept_through_two, borrowed_kept,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Counter {
    hits: u32,
    total: u32,
}

#[routine]
impl Counter {
    fn add(&mut self, n: u32) -> u32 {
        self.hits += 1;
        self.total = self.total.wrapping_add(n);
        self.hits
    }

    fn mean(&self) -> u32 {
        self.total / self.hits.max(1)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Named {
    counter: Counter,
    name: char,
}

#[routine]
impl Deref for Named {
    type Target = Counter;
    fn deref(&self) -> &Counter {
        &self.counter
    }
}

#[routine]
impl DerefMut for Named {
    fn deref_mut(&mut self) -> &mut Counter {
        &mut self.counter
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Owned {
    named: Named,
    reads: u32,
}

#[routine]
impl Deref for Owned {
    type Target = Named;
    fn deref(&self) -> &Named {
        &self.named
    }
}

#[routine]
impl DerefMut for Owned {
    fn deref_mut(&mut self) -> &mut Named {
        self.reads += 1;
        &mut self.named
    }
}

#[routine]
impl Named {
    fn rename(&mut self, c: char) {
        self.name = c;
    }
}

#[routine]
fn owned(a: u32, c: char) -> Owned {
    Owned {
        named: Named {
            counter: Counter { hits: a % 5, total: a },
            name: c,
        },
        reads: 0,
    }
}

#[routine]
fn through_two(a: u32, b: u32, c: char) -> (u32, u32, Owned) {
    let mut owned = owned(a, c);
    let first = owned.mean();
    owned.add(b);
    owned.rename('x');
    let second = owned.add(1);
    (first + owned.mean() % 7, second, owned)
}

#[routine]
fn fields_through_two(a: u32, b: u32, c: char) -> (u32, char, Owned) {
    let mut owned = owned(a, c);
    let before = owned.hits + owned.total % 9;
    owned.total = b;
    owned.hits += 2;
    (before, owned.name, owned)
}

#[routine]
fn named_deep(a: u32, c: char) -> (u32, bool, Counter) {
    let owned = owned(a, c);
    let counter: &Counter = &owned;
    let copy = **owned;
    (counter.mean(), copy == *counter, copy)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Pair {
    left: Counter,
    right: Counter,
    items: [u32; 4],
}

#[derive(VmType, Debug)]
struct Guard<'a> {
    pair: &'a mut Pair,
    used: u32,
}

#[routine]
impl Deref for Guard<'_> {
    type Target = Pair;
    fn deref(&self) -> &Pair {
        self.pair
    }
}

#[routine]
impl DerefMut for Guard<'_> {
    fn deref_mut(&mut self) -> &mut Pair {
        self.used += 1;
        self.pair
    }
}

#[routine]
fn changed_behind_guard(a: u32, b: u32) -> (Pair, u32, u32) {
    let mut pair = Pair {
        left: Counter { hits: 0, total: a },
        right: Counter { hits: 1, total: b },
        items: [a, b, 1, 2],
    };
    let mut guard = Guard {
        pair: &mut pair,
        used: 0,
    };
    guard.left.add(b);
    let n = guard.right.add(7);
    guard.items.swap(0, 3);
    guard.items.sort_unstable();
    guard.items[1] = n;
    let mean = guard.left.mean();
    let used = guard.used;
    (pair, mean, used)
}

#[routine]
fn order_kept(a: u32, b: u32) -> (u32, u32, u32) {
    let mut pair = Pair {
        left: Counter { hits: 0, total: 1 },
        right: Counter { hits: 1, total: 2 },
        items: [a % 4, b % 4, 1, 2],
    };
    let mut guard = Guard {
        pair: &mut pair,
        used: 0,
    };
    for item in guard.items.iter_mut() {
        *item += 1;
    }
    let first = guard.items.iter().copied().max().unwrap_or(0);
    let at = guard.items[0] as usize % 4;
    guard.items[at] += 1;
    (first, guard.items[at], guard.used)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Meters(f32);

#[routine]
impl Deref for Meters {
    type Target = f32;
    fn deref(&self) -> &f32 {
        &self.0
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Height(Meters);

#[routine]
impl Deref for Height {
    type Target = Meters;
    fn deref(&self) -> &Meters {
        &self.0
    }
}

#[routine]
fn kept_through_two(a: f32) -> (f32, f32, bool) {
    let height = Height(Meters(a));
    (height.abs(), height.mul_add(2.0, 1.0), height.is_sign_negative())
}

#[routine]
fn borrowed_kept(a: u32, c: char) -> (u32, u32) {
    let mut owned = owned(a, c);
    fn touch(named: &mut Named) -> u32 {
        named.add(3)
    }
    let n = touch(&mut owned);
    let r = &mut owned;
    r.add(4);
    (n, r.mean())
}
