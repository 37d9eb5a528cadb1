//! Closures: called by name, given to routines, capturing by reference, by value and by unique borrow, with `return` and `?`; functions by their paths.

use gpuvm::prelude::*;

cases! {
    by_name, captures, captures_uniquely, moves, copies_are_their_own, returns_early, question_inside, given_to_routines, given_by_reference, nested,
    by_path, patterns_of_parameters, in_a_loop, called_before_and_after, evaluation_order, closure_in_generic, function_pointer_parameter,
    methods_take_closures, returns_a_reference, variants_by_path, bodies_that_begin_with_a_block,
    several_in_one_let,
}

#[routine]
fn by_name(a: u32, b: u32) -> u32 {
    let square = |x: u32| x.wrapping_mul(x);
    let mix = |x, y| square(x) ^ y;
    mix(a, b).wrapping_add(mix(b, 3))
}

#[routine]
fn captures(a: u32, b: u32) -> u32 {
    let k = a % 17;
    let f = |x: u32| x / 2 + k;
    f(b) ^ f(a).rotate_left(k)
}

#[routine]
fn captures_uniquely(a: u32, b: u32) -> (u32, u32) {
    let mut count = 0u32;
    let mut last = [0u32; 3];
    let mut note = |x: u32| {
        last[(count % 3) as usize] = x;
        count += 1;
        count
    };
    let first = note(a);
    for i in 0..b % 5 {
        note(i ^ a);
    }
    (first ^ last[0] ^ last[1] ^ last[2], count)
}

#[routine]
fn moves(a: u32, b: u32) -> (u32, u32, u32) {
    let mut state = a;
    let mut next = move || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        state >> 16
    };
    let (x, y) = (next(), next());
    (x ^ b, y, state)
}

#[routine]
fn copies_are_their_own(a: u32) -> (u32, u32, u32) {
    let mut n = a % 100;
    let mut f = move || {
        n += 1;
        n
    };
    let mut g = f;
    (f() + f(), g(), n)
}

#[routine]
fn returns_early(a: u32, b: u32) -> u32 {
    let sign = |x: u32| {
        if x % 3 == 0 {
            return 7;
        }
        if x % 3 == 1 { 11 } else { 13 }
    };
    sign(a) * 100 + sign(b)
}

#[routine]
fn question_inside(a: u32, b: u32) -> (Option<u32>, Result<u32, u8>) {
    let halve = |x: u32| -> Option<u32> {
        let y = x.checked_sub(5)?;
        if y % 2 == 0 { Some(y / 2) } else { None }
    };
    let check = |x: u32| if x % 4 == 3 { Err(3u8) } else { Ok(x) };
    let both = |x: u32| -> Result<u32, u8> { Ok(check(x)? ^ check(x / 4)?) };
    (halve(a % 40), both(b))
}

#[routine]
fn apply(f: impl Fn(u32) -> u32, x: u32) -> u32 {
    f(f(x))
}

#[routine]
fn fold_up<T: Copy, F>(n: u32, start: T, mut f: F) -> T
where
    F: FnMut(T, u32) -> T,
{
    let mut folded = start;
    for i in 0..n {
        folded = f(folded, i);
    }
    folded
}

#[routine]
fn given_to_routines(a: u32, b: u32) -> (u32, u64, u32) {
    let mut seen = 0;
    let k = b % 9;
    let x = apply(|x| x / 3 + k, a);
    let y = fold_up(b % 12, 5u64, |folded, i| {
        seen += 1;
        folded.wrapping_mul(31) ^ u64::from(i ^ x)
    });
    (x, y, seen)
}

#[routine]
fn run_both(first: &dyn_free::Pair, f: &mut impl FnMut(u32) -> u32) -> u32 {
    f(first.a) ^ f(first.b)
}

mod dyn_free {
    use gpuvm::prelude::*;

    #[derive(VmType, Clone, Copy, Debug)]
    pub struct Pair {
        pub a: u32,
        pub b: u32,
    }
}

#[routine]
fn given_by_reference(a: u32, b: u32) -> (u32, u32) {
    let mut calls = 0;
    let mut f = |x: u32| {
        calls += x % 3;
        x.rotate_left(5)
    };
    let pair = dyn_free::Pair { a, b };
    let mixed = run_both(&pair, &mut f) ^ f(9);
    (mixed, calls)
}

#[routine]
fn nested(a: u32, b: u32) -> u32 {
    let outer = |x: u32| {
        let inner = |y: u32| y ^ x ^ b;
        inner(x / 2) + (inner(3) & 0xff)
    };
    outer(a % 1000) ^ outer(b % 1000)
}

#[routine]
fn double(x: u32) -> u32 {
    x.wrapping_mul(2)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Wrapped(u32);

#[routine]
fn by_path(a: u32, b: u32) -> (u32, Option<Wrapped>, Option<u32>, Option<u64>) {
    let half = a.checked_sub(b);
    (
        apply(double, a),
        half.map(Wrapped),
        half.map(double),
        half.map(u64::from),
    )
}

#[routine]
fn patterns_of_parameters(a: u32, b: u32) -> u32 {
    let sum = |(x, y): (u32, u32), Wrapped(z): Wrapped, [p, .., q]: [u32; 4]| x ^ y ^ z ^ p.wrapping_sub(q);
    let read = |&x: &u32, list: &[u32]| x ^ list[0] ^ list.len() as u32;
    sum((a, 1), Wrapped(b), [b, 2, 3, a]) ^ read(&a, &[b, 5])
}

#[routine]
fn in_a_loop(a: u32, b: u32) -> u32 {
    let mut total = 0u32;
    for i in 0..a % 6 {
        let scaled = move |x: u32| x.wrapping_mul(i + 1);
        total ^= scaled(b);
    }
    total
}

#[routine]
fn called_before_and_after(a: u32, b: u32) -> u32 {
    let mut k = a % 5;
    let mut bump = || {
        k += 1;
        k
    };
    let x = if b % 2 == 0 { bump() } else { bump() + bump() };
    let y = loop {
        let n = bump();
        if n > 8 {
            break n;
        }
    };
    x * 100 + y + k
}

#[routine]
fn evaluation_order(a: u32) -> u32 {
    let mut x = a % 10;
    let mut next = || {
        x += 1;
        x
    };
    let (p, q) = (next() * 100, next());
    p + q * 10 + x
}

#[routine]
fn applied_twice<T: Copy>(x: T, f: impl Fn(T) -> T) -> T {
    f(f(x))
}

#[routine]
fn closure_in_generic(a: u32, b: f32) -> (u32, f32) {
    (applied_twice(a, |x| x / 3 + 1), applied_twice(b, |x| x * 0.5 - 1.0))
}

#[routine]
fn through_pointer(f: fn(u32) -> u32, x: u32) -> u32 {
    f(x) ^ 1
}

#[routine]
fn function_pointer_parameter(a: u32) -> u32 {
    through_pointer(double, a) ^ through_pointer(|x| x / 2, a)
}

#[derive(VmType, Clone, Copy, Debug)]
struct Grid {
    cells: [u32; 6],
}

#[routine]
impl Grid {
    fn update(&mut self, f: impl Fn(usize, u32) -> u32) {
        for i in 0..self.cells.len() {
            self.cells[i] = f(i, self.cells[i]);
        }
    }

    fn count<F: Fn(u32) -> bool>(&self, keep: F) -> u32 {
        let mut count = 0;
        for cell in &self.cells {
            if keep(*cell) {
                count += 1;
            }
        }
        count
    }
}

#[routine]
fn methods_take_closures(a: u32, b: u32) -> (u32, [u32; 6]) {
    let mut grid = Grid {
        cells: [a, b, a ^ b, 3, 4, 5],
    };
    let k = b % 11;
    grid.update(|i, x| x / (i as u32 + 1) + k);
    (grid.count(|x| x % 2 == 0), grid.cells)
}

#[routine]
fn larger<'a>(a: &'a u32, b: &'a u32) -> &'a u32 {
    if a > b { a } else { b }
}

#[routine]
fn part(values: &[u32], from: usize) -> &[u32] {
    &values[from..]
}

#[routine]
fn slot(values: &mut [u32; 4], i: usize) -> &mut u32 {
    &mut values[i % 4]
}

#[routine]
fn returns_a_reference(a: u32, b: u32) -> (u32, [u32; 4]) {
    let mut values = [a, b, 3, 4];
    *slot(&mut values, (a % 7) as usize) += b % 10;
    let rest = part(&values, (b % 5) as usize);
    (larger(&a, &b) ^ rest.len() as u32, values)
}

/// Variants whose short names could be those of constants.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Shape {
    A(u32),
    B2(u64),
}

#[routine]
fn variants_by_path(a: u32, b: u32) -> (Option<Shape>, Result<u32, Shape>, u32) {
    let half = a.checked_sub(b);
    let judged: Result<u32, u64> = half.ok_or(u64::from(b));
    let same = [a, b, 7]
        .into_iter()
        .map(Shape::A)
        .filter(|x| *x == Shape::A(7))
        .count();
    (half.map(Shape::A), judged.map_err(Shape::B2), same as u32)
}

#[routine]
fn bodies_that_begin_with_a_block(a: u32, b: u32) -> (u64, u32, u32, u64) {
    let doubled = |x: u32| {
        let half = x / 2;
        half
    } * 2;
    let chosen = |x: u32| if x > b { 1 } else { x % 5 } + 5;
    let matched = |x: u32| match x % 3 { 0 => 1, rest => rest } ^ a;
    let values = [a, b, 7, 9];
    let masked = (0..8u64).map(|i| {
        let at = i & 3;
        u64::from(values[at as usize])
    } & 3).sum::<u64>();
    let cast = {
        let first = a % 9;
        first
    } as u64
        + if a > b { 1u32 } else { 2 } as u64;
    (masked, doubled(a), chosen(b) ^ matched(b), cast)
}

#[routine]
fn several_in_one_let(a: u32, b: u32) -> u32 {
    let (double, mut n, add) = (|x: u32| x.wrapping_mul(2), a % 5, |x: u32, y: u32| x.wrapping_add(y));
    n = add(n, double(b));
    add(n, double(a))
}
