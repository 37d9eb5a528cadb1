//! Names of constructors where a function may be: of tuple structs and of variants, also those in capitals, which look like constants, and
//! constants and variants without fields in the same places.

use core::cmp::Reverse;

use gpuvm::prelude::*;

cases! {
    mapped_by_capitals, mapped_by_variants, constructors_given, given_to_methods, kept_in_variables, generic_constructors, keys_by_constructor,
    constants_where_functions_may_be, variants_where_functions_may_be, errors_by_constructor, constructor_in_a_block,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, PartialOrd, Eq, Ord)]
struct W(u32);

#[derive(VmType, Clone, Copy, Debug)]
struct XY(u32, i32);

#[derive(VmType, Clone, Copy, Debug)]
struct Meters(f32);

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum OP {
    ADD(u32),
    SHIFT { by: u32 },
    NOP,
}

#[derive(VmType, Clone, Copy, Debug)]
struct T1<T>(T);

const LIMIT: u32 = 7;
const TABLE: [u32; 12] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];

#[routine]
fn made<A, R>(make: impl Fn(A) -> R, value: A) -> R {
    make(value)
}

#[routine]
fn weight(make: impl Fn(u32) -> W, value: u32) -> u32 {
    make(value).0 ^ 1
}

#[routine]
fn both(make: impl Fn(u32, i32) -> XY, a: u32) -> XY {
    make(a, -1)
}

#[routine]
fn mapped_by_capitals(a: u32, b: u32) -> (Option<W>, [W; 2], u32) {
    let list = [a, b].map(W);
    let sum = [a, b, 3].iter().copied().map(W).map(|w| w.0 % 100).sum();
    (Some(a).filter(|a| a % 2 == 0).map(W), list, sum)
}

#[routine]
fn mapped_by_variants(a: u32, b: u32) -> (OP, u32) {
    let ops = [a, b, 0].map(OP::ADD);
    let last = ops.into_iter().rev().find(|op| *op != OP::ADD(0));
    let even = [a, b]
        .iter()
        .copied()
        .map(OP::ADD)
        .filter(|op| matches!(op, OP::ADD(n) if n % 2 == 0))
        .count();
    (last.unwrap_or(OP::NOP), even as u32)
}

#[routine]
fn constructors_given(a: u32, x: f32) -> (u32, Meters, Option<u32>, W, XY) {
    (weight(W, a), made(Meters, x), made(Some, a), made(W, a), both(XY, a))
}

#[derive(VmType, Clone, Copy, Debug)]
struct Bag {
    size: u32,
}

#[routine]
impl Bag {
    fn find(&self, key: u32) -> u32 {
        self.size ^ key
    }

    fn map(&self, table: &[u32]) -> u32 {
        table[self.size as usize % table.len()]
    }

    fn any(&self, table: [u32; 12]) -> bool {
        table[self.size as usize % 12] > 4
    }

    fn of(&self, make: impl Fn(u32) -> W) -> W {
        make(self.size)
    }

    fn is(&self, op: OP) -> bool {
        op == OP::ADD(self.size % 2)
    }
}

#[routine]
fn given_to_methods(a: u32) -> (W, W) {
    let bag = Bag { size: a };
    (bag.of(W), bag.of(|size| W(size ^ 5)))
}

#[routine]
fn kept_in_variables(a: u32) -> (W, Option<u32>, u32, [u32; 12]) {
    let make = W;
    let some = Some;
    let limit = LIMIT;
    let mut table = TABLE;
    table[a as usize % 12] = limit;
    (make(a), some(a), limit, table)
}

#[routine]
fn generic_constructors(a: u32, x: f32) -> (u32, f32, Option<T1<u32>>) {
    (made(T1, a).0, made(T1, x).0, Some(a).map(T1))
}

#[routine]
fn keys_by_constructor(a: u32, b: u32) -> (Option<W>, u32) {
    let best = [a, b, 9].into_iter().map(W).max();
    let least = [a, b, 9].into_iter().max_by_key(|n| Reverse(W(*n)));
    (best, least.unwrap_or(LIMIT))
}

#[routine]
fn constants_where_functions_may_be(a: u32) -> (u32, u32, bool, u32) {
    let bag = Bag { size: a };
    (
        bag.find(LIMIT),
        bag.map(&TABLE),
        bag.any(TABLE),
        u32::min(LIMIT, a).max(LIMIT.rotate_left(a % 32)),
    )
}

#[routine]
fn variants_where_functions_may_be(a: u32) -> (bool, bool, bool, Option<W>) {
    let bag = Bag { size: a };
    (
        bag.is(OP::NOP),
        bag.is(OP::ADD(1)),
        bag.is(OP::SHIFT { by: a }),
        made(|w: Option<W>| w, None),
    )
}

#[routine]
fn errors_by_constructor(a: u32, b: u32) -> (Result<u32, W>, W) {
    let quotient: Result<u32, u32> = a.checked_div(b % 3).ok_or(a);
    (quotient.map_err(W), quotient.map_or_else(W, W))
}

#[routine]
fn constructor_in_a_block(a: u32) -> (u32, u32) {
    const SEED: u32 = 11;
    #[derive(VmType, Clone, Copy)]
    struct K(u32);
    let key = Some(a).map(K).map_or(SEED, |k| k.0);
    (key, made(|x: u32| x ^ 1, SEED))
}
