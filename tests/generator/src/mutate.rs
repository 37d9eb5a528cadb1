//! Routines with a mistake in them: a few tokens of one that compiles are left out, doubled, replaced, or put somewhere else.

use std::str::FromStr;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::Rng;

/// Tokens to put in: what routines are made of, and what they refuse.
pub const SPARE: [&str; 36] = [
    "self",
    "Self",
    "_",
    "..",
    "..=",
    "=>",
    "&",
    "&mut x",
    "*",
    "-",
    "!",
    "?",
    "::",
    "if",
    "else { }",
    "match x { }",
    "loop { }",
    "'a:",
    "break 'a 1",
    "return",
    "let y = 1;",
    "|x| x",
    "async { }",
    "unsafe { }",
    "\"text\"",
    "'c'",
    "1.5e3",
    "0xffff_ffff_ffff_ffff_f",
    "1u128",
    "r#match",
    "panic!(\"{} {x:?}\", 1)",
    "assert!()",
    "matches!(x)",
    "x as f64",
    "#[cfg(x)]",
    "<T as U>::V",
];

/// What the routines below have around them.
const AROUND: &str = "use std::ops::{Add, Index};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Vec2 { pub x: f32, pub y: f32 }
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub enum Shape { Unit, Circle(f32), Rect { lo: f32, hi: f32 } }
#[derive(VmType, Clone, Copy, Debug)]
pub struct Pair<T> { pub a: T, pub b: T }
#[routine] impl Add for Vec2 { type Output = Vec2; fn add(self, o: Vec2) -> Vec2 { Vec2 { x: self.x + o.x, y: self.y + o.y } } }
#[routine] impl Vec2 { pub fn len2(&self) -> f32 { self.x * self.x + self.y * self.y } pub fn new(x: f32, y: f32) -> Vec2 { Vec2 { x, y } } }
#[routine] pub fn helper(x: f32, n: u32) -> f32 { x * n as f32 }
#[routine] pub fn checked(n: u32) -> Result<u32, u8> { if n > 3 { Err(1) } else { Ok(n) } }
#[routine] pub fn pick<T: VmType, const N: usize>(values: [T; N], place: u32) -> T { values[place as usize % N] }
#[routine] pub fn applied(f: impl Fn(u32) -> u32, n: u32) -> u32 { f(f(n)) }
const TABLE: [u32; 4] = [1, 2, 3, 5];
";

/// Routines that compile with that around them.
const ROUTINES: [&str; 16] = [
    "fn collatz(start: u32) -> u32 { let mut n = start; let mut steps = 0; while n > 1 { n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 }; steps += 1; } steps }",
    "fn area(shape: Shape, k: [f32; 3]) -> f32 { match shape { Shape::Circle(r) if r > 1.0 => 3.0 * r, Shape::Rect { lo, hi: h @ 1.0..=2.0 } => (h - lo).max(k[1]), _ => -1.5 } }",
    "fn walk(all: &[u32], out: &mut [f32], bins: &[AtomicU32]) { for (i, x) in all.iter().enumerate() { out[i] += *x as f32; } 'a: for i in (0..=9u8).rev().step_by(2) { if i > 3 { continue 'a; } break; } bins[vm::id() as usize].fetch_add(1, Relaxed); }",
    "fn traps(n: i32) -> i32 { assert!(n != 3, \"n is {n} and {:?}\", n + 1); assert_eq!(n, 2); debug_assert!(n < 9); let x; x = loop { if matches!(n, 1..=4 | 7) { break n; } else { unreachable!() } }; x }",
    "fn moved(a: Vec2, b: Vec2, k: f32) -> Vec2 { let mut sum = a + b; sum.x *= k; if sum.len2() > 4.0 { sum = Vec2::new(sum.y, sum.x) + a; } Vec2 { x: helper(sum.x, 3), ..sum } }",
    "fn chained(all: &[f32], n: u32) -> f32 { let big = all.iter().filter(|x| **x > 0.5).map(|x| x * 2.0).sum::<f32>(); all.iter().zip(all).fold(big, |s, (a, b)| s + a * b) + n as f32 }",
    "fn tried(n: u32, m: u32) -> Result<u32, u8> { let a = checked(n)?; let b = checked(m).map(|v| v + 1)?; if a > b { return Err(2); } Ok(a.wrapping_mul(b)) }",
    "fn opted(all: &[u32], i: usize) -> Option<u32> { let Some(a) = all.get(i) else { return None }; let b = all.first().copied()?; if let Some(c) = a.checked_sub(b) && c > 2 { Some(c) } else { None } }",
    "fn closed(n: u32, k: u32) -> u32 { let add = |x: u32| x + k; let mut count = 0; let mut bump = |x| { count += x; }; bump(n); bump(2); applied(add, n) + applied(|v| v ^ 5, k) + count }",
    "fn generic<T: VmType + Add<Output = T>, const N: usize>(v: [T; N], i: u32) -> T { let a = pick::<T, N>(v, i); let mut b = a + v[0]; let mut j = 0; while j < N { b = b + v[j]; j += 1; } b }",
    "fn wide(a: u64, b: i128, c: f64) -> f64 { let d = (a as u128) << 3; let e = b.wrapping_abs() as u128 ^ d; (e as f64 + c.sqrt()).min(1e9) }",
    "fn shown(n: u32, v: Vec2) -> u32 { println!(\"{n} and {:?}\", v); let s = [n, 2, 3]; let t = &s[1..]; if t.contains(&n) { return t[0]; } TABLE[n as usize & 3] + t.len() as u32 }",
    "fn tupled(p: (u32, f32), q: &mut Vec2) -> (f32, u32) { let (n, x) = p; let Vec2 { x: a, y } = *q; q.x = a.sin() + x; *q = Vec2 { y: y + 1.0, ..*q }; std::mem::swap(&mut q.x, &mut q.y); (q.x, n.count_ones()) }",
    "impl Index<usize> for Pair<f32> { type Output = f32; fn index(&self, i: usize) -> &f32 { if i == 0 { &self.a } else { &self.b } } }",
    "impl<T: VmType> Pair<T> { const A: u32 = 1; fn first(&self) -> T { self.a } fn swap(&mut self) { (self.a, self.b) = (self.b, self.a); } fn of(a: T) -> Self { Self { a, b: a } } }",
    "trait Area { fn area(&self) -> f32; const SIDES: u32; fn doubled(&self) -> f32 { self.area() * 2.0 + Self::SIDES as f32 } }",
];

/// How many trees a stream has, those in groups included.
#[must_use]
pub fn count(stream: &TokenStream) -> usize {
    let trees = stream.clone().into_iter().map(|tree| match tree {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        _ => 1,
    });
    trees.sum()
}

/// Replaces the tree at a place, counted as [`count`] does, by others.
pub fn edit(stream: TokenStream, place: &mut Option<usize>, with: &dyn Fn(TokenTree) -> Vec<TokenTree>) -> TokenStream {
    let mut edited = Vec::new();
    for tree in stream {
        match (*place, tree) {
            (Some(0), tree) => {
                *place = None;
                edited.extend(with(tree));
            }
            (Some(left), TokenTree::Group(group)) => {
                *place = Some(left - 1);
                let inner = Group::new(group.delimiter(), edit(group.stream(), place, with));
                edited.push(TokenTree::Group(inner));
            }
            (left, tree) => {
                *place = left.map(|left| left - 1);
                edited.push(tree);
            }
        }
    }
    edited.into_iter().collect()
}

/// All trees of a stream that are no groups.
fn leaves(stream: &TokenStream, into: &mut Vec<TokenTree>) {
    for tree in stream.clone() {
        match tree {
            TokenTree::Group(group) => leaves(&group.stream(), into),
            tree => into.push(tree),
        }
    }
}

/// A module with one routine that has up to two mistakes, and is still Rust as far as grammar goes. `usize::MAX` mistakes in vain are none.
///
/// # Panics
///
/// If a routine above is no Rust.
#[must_use]
pub fn mutated_module(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let source = ROUTINES[rng.below(ROUTINES.len())];
    let whole = TokenStream::from_str(source).expect("a routine");
    let mut own = Vec::new();
    leaves(&whole, &mut own);
    loop {
        let mut stream = whole.clone();
        for _ in 0..=rng.below(2) {
            let place = rng.below(count(&stream));
            let spare: Vec<TokenTree> = match rng.below(3) {
                0 => TokenStream::from_str(SPARE[rng.below(SPARE.len())])
                    .expect("tokens")
                    .into_iter()
                    .collect(),
                _ => vec![own[rng.below(own.len())].clone()],
            };
            let action = rng.below(4);
            stream = edit(stream, &mut Some(place), &|tree| match action {
                0 => Vec::new(),
                1 => vec![tree.clone(), tree],
                2 => spare.clone(),
                _ => match tree {
                    // Two in a row are seldom Rust, one around the other often.
                    TokenTree::Group(group) if group.delimiter() == Delimiter::None => spare.clone(),
                    tree => spare.iter().cloned().chain([tree]).collect(),
                },
            });
        }
        if syn::parse2::<syn::Item>(stream.clone()).is_ok() {
            return format!("{AROUND}#[routine] {stream}\n");
        }
    }
}

/// The modules without mistakes.
#[must_use]
pub fn unmutated_modules() -> Vec<String> {
    ROUTINES
        .iter()
        .map(|source| format!("{AROUND}#[routine] {source}\n"))
        .collect()
}
