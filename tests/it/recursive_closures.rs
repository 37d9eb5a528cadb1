//! Routines that are given closures and call themselves.

use gpuvm::prelude::*;

cases! {
    few:
    closure_through_recursion, closure_that_changes_what_it_borrows, method_with_closure_recurses, closure_two_levels_out,
    recursion_in_a_closure, function_through_recursion, moved_closure_through_recursion, generic_recursion_with_key,
    recursion_with_slices_borrowed, recursion_within_recursion, same_recursion_with_two_closures, closure_that_returns_early,
    closure_handed_to_parts, closure_through_a_tree, generic_closure_to_parts, closure_by_a_trait_s_method,
    method_of_the_same_name, closure_handed_by_the_type_s_path, closure_handed_to_changed_copies,
}

#[routine]
fn adaptive_sum(f: &impl Fn(u32) -> u32, from: u32, to: u32) -> u32 {
    if to - from < 2 {
        return if from < to { f(from) } else { 0 };
    }
    let middle = from.midpoint(to);
    adaptive_sum(f, from, middle).wrapping_add(adaptive_sum(f, middle, to))
}

#[routine]
fn closure_through_recursion(a: u32, b: u32) -> u32 {
    let factor = a | 1;
    adaptive_sum(&|x| x.wrapping_mul(factor) ^ b, 0, a % 23)
}

#[routine]
fn permutations_of(left: u32, depth: u32, found: &mut impl FnMut(u32) -> bool) -> bool {
    if left == 0 {
        return found(depth);
    }
    let mut rest = left;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        if !permutations_of(left & !bit, depth * 3 + bit, found) {
            return false;
        }
    }
    true
}

#[routine]
fn closure_that_changes_what_it_borrows(a: u32, b: u32) -> (u32, [u32; 3], bool) {
    let (mut count, mut last) = (0, [0; 3]);
    let most = b % 30;
    let all = permutations_of(a % 16, 1, &mut |depth| {
        count += 1;
        last[count as usize % 3] ^= depth;
        count < most
    });
    (count, last, all)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Tower {
    pegs: [u32; 3],
    moves: u32,
}

#[routine]
impl Tower {
    fn carry(
        &mut self,
        disks: u32,
        from: usize,
        to: usize,
        seen: &mut impl FnMut(&Tower) -> Option<u32>,
    ) -> Option<u32> {
        if disks == 0 {
            return seen(self);
        }
        let other = 3 - from - to;
        self.carry(disks - 1, from, other, seen)?;
        self.pegs[from] -= 1;
        self.pegs[to] += 1;
        self.moves += 1;
        Self::carry(self, disks - 1, other, to, seen)
    }
}

#[routine]
fn method_with_closure_recurses(a: u32, b: u32) -> (Tower, u32, Option<u32>) {
    let disks = a % 6;
    let mut tower = Tower {
        pegs: [disks, 0, 0],
        moves: 0,
    };
    let mut sum = 0_u32;
    let result = tower.carry(disks, 0, 2, &mut |tower| {
        sum = sum.wrapping_mul(7).wrapping_add(tower.pegs[1]);
        if tower.moves > b % 40 { None } else { Some(tower.moves) }
    });
    (tower, sum, result)
}

#[routine]
fn through(f: impl Fn(u32) -> u32, n: u32) -> u32 {
    let twice = |x| f(f(x));
    adaptive_sum(&|x| twice(x) ^ n, 0, n)
}

#[routine]
fn closure_two_levels_out(a: u32, b: u32) -> u32 {
    through(|x| x.rotate_left(3) ^ a, b % 9)
}

#[routine]
fn leaves_below(depth: u32, key: u32, pick: &impl Fn(u32, u32) -> bool) -> u32 {
    if depth == 0 {
        return key;
    }
    (0..3)
        .filter(|&branch| pick(depth, key.wrapping_add(branch)))
        .map(|branch| leaves_below(depth - 1, key.wrapping_mul(5) ^ branch, pick))
        .fold(1, |sum: u32, leaf| sum.rotate_left(1) ^ leaf)
}

#[routine]
fn recursion_in_a_closure(a: u32, b: u32) -> u32 {
    let mask = b | 4;
    leaves_below(a % 5, b, &|depth, key| key.wrapping_mul(depth) & mask != 0)
}

#[routine]
fn triple(x: u32) -> u32 {
    x.wrapping_mul(3)
}

#[routine]
fn function_through_recursion(a: u32) -> u32 {
    adaptive_sum(&triple, a % 3, a % 3 + 6)
}

#[routine]
fn by_value<F: Fn(u32) -> u32 + Copy>(n: u32, f: F) -> u32 {
    if n == 0 {
        f(n)
    } else {
        f(n) ^ by_value(n - 1, f).rotate_left(1)
    }
}

#[routine]
fn moved_closure_through_recursion(a: u32, b: u32) -> u32 {
    let mut factor = a;
    let f = move |x| factor.wrapping_mul(x + 1);
    factor = b;
    by_value(b % 7, f) ^ factor
}

#[routine]
fn sort_by_halves<T: Copy, K: Fn(&T) -> u32>(items: &mut [T], key: &K) {
    if items.len() < 2 {
        return;
    }
    let mut store = 0;
    for i in 1..items.len() {
        if key(&items[i]) < key(&items[0]) {
            store += 1;
            items.swap(store, i);
        }
    }
    items.swap(0, store);
    let (left, right) = items.split_at_mut(store);
    sort_by_halves(left, key);
    sort_by_halves(&mut right[1..], key);
}

#[routine]
fn generic_recursion_with_key(a: u32, b: u32) -> ([u32; 6], [(u8, bool); 4]) {
    let mut words = [a, b, a ^ b, a.rotate_left(9), b.rotate_left(17), 7];
    sort_by_halves(&mut words, &|&word| word ^ b);
    let mut pairs = [(a as u8, true), (b as u8, false), (3, true), ((a ^ b) as u8, false)];
    sort_by_halves(&mut pairs, &|pair: &(u8, bool)| pair.0.into());
    (words, pairs)
}

#[routine]
fn walk_down(n: u32, visit: &mut impl FnMut(u32)) {
    if n > 0 {
        visit(n);
        walk_down(n - 1, visit);
        visit(n * 2);
    }
}

#[routine]
fn recursion_with_slices_borrowed(a: u32, b: u32) -> [u32; 5] {
    let mut out = [0; 5];
    let (head, tail) = out.split_at_mut(2);
    let source = [a, b, 5];
    let part = &source[1..];
    let mut at = 0;
    walk_down(a % 4, &mut |n| {
        tail[at % 3] ^= part[n as usize % part.len()].wrapping_add(n);
        head[at % 2] = head[at % 2].wrapping_add(n);
        at += 1;
    });
    out
}

#[routine]
fn recursion_within_recursion(a: u32, b: u32) -> u32 {
    let mut total = b;
    walk_down(a % 4, &mut |n| {
        let scale = total | 1;
        let inner = adaptive_sum(&|x| x.wrapping_mul(scale) ^ n ^ b, 0, n);
        total = total.rotate_left(1) ^ inner;
    });
    total
}

#[routine]
fn same_recursion_with_two_closures(a: u32, b: u32) -> (u32, u32) {
    let first = adaptive_sum(&|x| x ^ a, 0, b % 5);
    let second = adaptive_sum(&|x| x.wrapping_add(first), 0, a % 5);
    (first, second)
}

#[routine]
fn closure_that_returns_early(a: u32, b: u32) -> u32 {
    adaptive_sum(
        &|x| {
            if x == b % 3 {
                return a;
            }
            let Some(less) = x.checked_sub(1) else { return 1 };
            less
        },
        0,
        a % 6,
    )
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Bezier {
    from: f32,
    by: f32,
    to: f32,
}

#[routine]
impl Bezier {
    fn halves(&self) -> (Bezier, Bezier) {
        let (a, b) = (f32::midpoint(self.from, self.by), f32::midpoint(self.by, self.to));
        let middle = f32::midpoint(a, b);
        (
            Bezier {
                by: a,
                to: middle,
                ..*self
            },
            Bezier {
                from: middle,
                by: b,
                ..*self
            },
        )
    }

    fn flatten(&self, depth: u32, out: &mut impl FnMut(f32)) {
        if depth == 0 {
            out(self.to);
            return;
        }
        let (left, right) = self.halves();
        left.flatten(depth - 1, out);
        right.flatten(depth - 1, out);
    }
}

#[routine]
fn closure_handed_to_parts(a: u32, b: u8) -> (f32, f32) {
    let curve = Bezier {
        from: f32::from(b),
        by: 2.5,
        to: -1.0,
    };
    let (mut length, mut last) = (0.0, curve.from);
    curve.flatten(a % 5, &mut |to| {
        length += (to - last).abs();
        last = to;
    });
    (length, last)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Quadrant {
    x: u32,
    y: u32,
    size: u32,
}

#[routine]
impl Quadrant {
    fn parts(self) -> [Quadrant; 4] {
        let size = self.size / 2;
        [(0, 0), (size, 0), (0, size), (size, size)].map(|(x, y)| Quadrant {
            x: self.x + x,
            y: self.y + y,
            size,
        })
    }

    fn visit<F: FnMut(&Quadrant) -> bool>(&self, seen: &mut F) {
        if seen(self) && self.size > 1 {
            for part in self.parts() {
                part.visit(seen);
            }
        }
    }
}

#[routine]
fn closure_through_a_tree(a: u32, b: u32) -> (u32, u32) {
    let (mut count, mut hash) = (0, 0_u32);
    Quadrant { x: 0, y: 0, size: 8 }.visit(&mut |part| {
        count += 1;
        hash = hash.wrapping_mul(3) ^ part.x ^ (part.y << 4);
        (part.x ^ a) & 1 == 0 || part.size > b % 8
    });
    (count, hash)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Stretch<T> {
    from: T,
    to: T,
    depth: u32,
}

#[routine]
impl<T: Copy + PartialOrd + std::ops::BitXor<Output = T>> Stretch<T> {
    fn ends(&self, found: &mut impl FnMut(T)) {
        if self.depth == 0 {
            return found(self.to);
        }
        let depth = self.depth - 1;
        let (left, right) = (
            Stretch {
                from: self.from,
                to: self.from,
                depth,
            },
            Stretch {
                from: self.to,
                to: self.from ^ self.to,
                depth,
            },
        );
        left.ends(found);
        if left.from < right.to {
            right.ends(&mut *found);
        }
    }
}

#[routine]
fn generic_closure_to_parts(a: u32, b: u8) -> (u64, u32) {
    let (mut long, mut short) = (0_u64, 0);
    Stretch {
        from: u64::from(a),
        to: 7,
        depth: a % 5,
    }
    .ends(&mut |end| long = long.wrapping_mul(31) ^ end);
    Stretch {
        from: b,
        to: 1_u8,
        depth: 3,
    }
    .ends(&mut |end| short += u32::from(end));
    (long, short)
}

#[routine]
trait Explore {
    fn explore(&self, found: &mut impl FnMut(u32) -> bool) -> bool;
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Leaf(u32);

#[routine]
impl Explore for Leaf {
    fn explore(&self, found: &mut impl FnMut(u32) -> bool) -> bool {
        found(self.0)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Heaped {
    at: u32,
    size: u32,
}

#[routine]
impl Explore for Heaped {
    fn explore(&self, found: &mut impl FnMut(u32) -> bool) -> bool {
        if self.at >= self.size {
            return Leaf(self.at).explore(found);
        }
        let children = [1, 2].map(|side| Heaped {
            at: 2 * self.at + side,
            ..*self
        });
        for child in &children {
            if !child.explore(found) {
                return false;
            }
        }
        found(self.at)
    }
}

#[routine]
fn closure_by_a_trait_s_method(a: u32, b: u32) -> (u32, bool) {
    let (mut hash, mut left) = (a, b % 20);
    let whole = Heaped { at: 0, size: a % 9 }.explore(&mut |at| {
        hash = hash.rotate_left(3) ^ at;
        left = left.saturating_sub(1);
        left > 0
    });
    (hash, whole)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Leaves([Leaf; 3]);

#[routine]
impl Leaves {
    fn explore(&self, found: &mut impl FnMut(u32)) {
        for leaf in self.0 {
            leaf.explore(&mut |at| {
                found(at + 1);
                at > 3
            });
        }
    }
}

#[routine]
fn method_of_the_same_name(a: u32) -> u32 {
    let mut digits = 0;
    Leaves([Leaf(a % 7), Leaf(1), Leaf(a % 3)]).explore(&mut |at| digits = digits * 10 + at);
    digits
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Disks(u32);

#[routine]
impl Disks {
    fn carry(&self, from: u32, by: u32, to: u32, step: &mut impl FnMut(u32, u32)) {
        if self.0 > 0 {
            let less = Disks(self.0 - 1);
            Disks::carry(&less, from, to, by, step);
            step(from, to);
            Self::carry(&less, by, from, to, step);
        }
    }
}

#[routine]
fn closure_handed_by_the_type_s_path(a: u32) -> u32 {
    let mut hash = a;
    Disks(a % 5).carry(0, 1, 2, &mut |from, to| hash = hash.wrapping_mul(5) ^ (from * 3 + to));
    hash
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Choices {
    made: [u32; 4],
    count: usize,
}

#[routine]
impl Choices {
    fn complete(&mut self, found: &mut impl FnMut(&Choices)) {
        if self.count == 4 {
            return found(self);
        }
        for choice in 0..2 {
            let mut next = *self;
            next.made[self.count] = choice;
            next.count += 1;
            next.complete(found);
            self.made[0] = self.made[0].wrapping_add(next.made[3]);
        }
    }
}

#[routine]
fn closure_handed_to_changed_copies(a: u32) -> (u32, [u32; 4]) {
    let mut choices = Choices {
        made: [a; 4],
        count: a as usize % 3,
    };
    let mut hash = 0_u32;
    choices.complete(&mut |choices| {
        hash = hash.wrapping_mul(3).wrapping_add(choices.made[3] ^ choices.made[0]);
    });
    (hash, choices.made)
}
