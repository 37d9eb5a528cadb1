//! Macros of the user's own inside of routines: rules of the file and of the body, as statements, expressions, patterns and types, with repetitions, all
//! kinds of fragments, recursion and hygiene.

use gpuvm::prelude::*;

use crate::shared_macros::blended;

cases! {
    statement_macro, expression_macro, recursive_macro, accumulating_macro, hygiene_of_locals, macros_of_the_body, shadowed_macro, pattern_and_type_macros,
    fragments_of_all_kinds, labels_of_macros, macro_in_macro_arguments, macro_in_methods, macro_in_default_bodies, macro_with_items, floats_in_macros,
    macro_in_nested_function, precedence_of_fragments, macro_traps, macro_that_prints,
    macro_of_another_file, macros_of_items, more_calls_than_rustc_nests, macros_of_a_configuration,
}

macro_rules! quarter_round {
    ($a:ident, $b:ident, $c:ident, $d:ident) => {
        $a = $a.wrapping_add($b);
        $d = ($d ^ $a).rotate_left(16);
        $c = $c.wrapping_add($d);
        $b = ($b ^ $c).rotate_left(12);
    };
}

macro_rules! square {
    ($e:expr) => {
        $e.wrapping_mul($e)
    };
}

macro_rules! largest {
    ($x:expr) => { $x };
    ($x:expr, $($rest:expr),+ $(,)?) => {{
        let a = $x;
        let b = largest!($($rest),+);
        if a > b { a } else { b }
    }};
}

/// Each level has a `t` of its own, and hands it on.
macro_rules! folded {
    (@go $t:ident;) => { $t };
    (@go $t:ident; $x:expr, $($rest:expr,)*) => {{
        let t = $t.wrapping_mul(3) ^ $x;
        folded!(@go t; $($rest,)*) ^ $t % 2
    }};
    ($($x:expr),*) => {{
        let t = 1u32;
        folded!(@go t; $($x,)*)
    }};
}

macro_rules! swap {
    ($a:ident, $b:ident) => {
        let t = $a;
        $a = $b;
        $b = t;
    };
}

/// Arms of several kinds, with variables of the same names.
macro_rules! mix {
    (@ $e:expr) => {
        $e.rotate_left(3)
    };
    ($a:ident) => {
        $a = $a.wrapping_add(0x9e37_79b9);
    };
    ($a:ident, $e:expr) => {
        let t = $a ^ $e;
        $a = t.wrapping_mul(5).wrapping_add($a >> 7);
    };
}

#[rustfmt::skip]
#[routine]
fn more_calls_than_rustc_nests(a: u32, b: u32) -> [u32; 2] {
    let (mut x, mut y) = (a, b);
    mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y);
    mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y);
    mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y);
    mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y);
    mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y);
    mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y);
    mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y);
    mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y); mix!(x, y);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x); mix!(x); y ^= square!(x); x = mix!(@ y); mix!(y, x);
    [x, y]
}

#[cfg(any(debug_assertions, not(test)))]
macro_rules! of_configuration {
    ($a:expr, $b:expr) => {
        $a.wrapping_add($b)
    };
}

#[cfg(all(not(debug_assertions), test))]
macro_rules! of_configuration {
    ($a:expr, $b:expr) => {
        $a.wrapping_mul($b)
    };
}

#[routine]
fn macros_of_a_configuration(a: u32, b: u32) -> u32 {
    #[cfg(test)]
    macro_rules! inner {
        () => {
            3
        };
    }
    #[cfg(not(test))]
    macro_rules! inner {
        () => {
            4
        };
    }
    of_configuration!(a, b) ^ inner!() ^ of_configuration!(b, 7)
}

#[routine]
fn statement_macro(a: u32, b: u32) -> [u32; 4] {
    let (mut a, mut b, mut c, mut d) = (a, b, 3u32, 4u32);
    for _ in 0..3 {
        quarter_round!(a, b, c, d);
        quarter_round!(b, c, d, a);
    }
    [a, b, c, d]
}

#[routine]
fn expression_macro(a: u32) -> (u32, u32) {
    let close = |n: u32| square!(n);
    (square!(a) / 3, close(a) ^ square!(square!(a % 100)))
}

#[routine]
fn recursive_macro(a: u32, b: u32, c: u32) -> u32 {
    largest!(a % 7, b % 11, largest!(c % 5, 3), 2,)
}

#[routine]
fn accumulating_macro(a: u32, b: u32) -> u32 {
    folded!(a, b, a ^ b)
}

#[routine]
fn hygiene_of_locals(a: u32, b: u32) -> (u32, u32, u32) {
    let t = 5u32;
    let (mut x, mut y) = (a, b);
    swap!(x, y);
    swap!(y, x);
    swap!(x, y);
    (x, y, t)
}

#[routine]
fn macros_of_the_body(a: u32) -> (u32, u32) {
    let t = a % 9;
    macro_rules! beyond {
        ($e:expr) => {
            $e ^ t
        };
    }
    macro_rules! own {
        ($e:expr) => {{
            let u = 7;
            $e ^ u ^ t
        }};
    }
    let u = 1u32;
    (beyond!(a), own!(u))
}

#[routine]
fn shadowed_macro(a: u32) -> (u32, u32, u32) {
    let before = square!(a);
    macro_rules! square {
        ($e:expr) => {
            $e ^ 1
        };
    }
    let inner = {
        macro_rules! square {
            ($e:expr) => {
                $e ^ 2
            };
        }
        square!(a)
    };
    (before, inner, square!(a))
}

macro_rules! low {
    () => {
        0 | 1 | 2
    };
}

macro_rules! word {
    ($bits:literal) => {
        Words<$bits>
    };
}

#[derive(VmType, Clone, Copy, Debug)]
struct Words<const N: usize>([u32; N]);

#[routine]
fn pattern_and_type_macros(a: u32) -> (u32, u32) {
    let words: word!(3) = Words([a; 3]);
    let class = match a % 5 {
        low!() => 10,
        n => n,
    };
    (class, words.0.iter().fold(0, |x, y| x ^ y))
}

macro_rules! every_kind {
    ($name:ident: $ty:ty = $value:expr; $pattern:pat => $block:block; $life:lifetime; $lit:literal; $path:path; $($any:tt)*) => {{
        let $name: $ty = $value;
        let found = match $name { $pattern => $block, _ => $lit };
        let built = $path(found);
        $life: loop {
            if built.is_some() { break $life built.unwrap_or($lit) ^ ($($any)*); }
            break 0;
        }
    }};
}

#[routine]
fn fragments_of_all_kinds(a: u32, b: u32) -> u32 {
    every_kind!(x: u32 = a % 6; 1..=3 => { b }; 'here; 77; Option::Some; a ^ (b | 1))
}

macro_rules! until {
    ($condition:expr, $body:expr) => {{
        let mut n = 0u32;
        'out: loop {
            n += 1;
            if n > 5 {
                break 'out n;
            }
            if $condition {
                break 'out ($body);
            }
        }
    }};
}

#[routine]
fn labels_of_macros(a: u32) -> u32 {
    let mut rounds = 0;
    'out: loop {
        rounds += 1;
        let found = until!(a % 3 == 0, {
            if rounds < 3 {
                continue 'out;
            }
            90
        });
        break 'out found + rounds;
    }
}

macro_rules! checked {
    ($($argument:tt)*) => {
        assert!($($argument)*)
    };
}

#[routine]
fn macro_in_macro_arguments(a: u32) -> u32 {
    assert!(square!(a) != 36 || a == 6, "of {} it is {}", a, square!(a));
    checked!(square!(3u32) == 9, "never");
    if matches!(largest!(a % 4, 2), 2 | 3) {
        square!(a)
    } else {
        0
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Pair(u32, u32);

#[routine]
impl Pair {
    fn mixed(mut self) -> Self {
        let (mut a, mut b, mut c, mut d) = (self.0, self.1, 1u32, 2u32);
        quarter_round!(a, b, c, d);
        (self.0, self.1) = (a ^ c, b ^ d);
        self
    }

    fn plain(self) -> u32 {
        self.0 ^ self.1
    }

    fn most(self) -> u32 {
        largest!(self.0, self.1, 9)
    }
}

#[routine]
fn macro_in_methods(a: u32, b: u32) -> (Pair, u32, u32) {
    let pair = Pair(a, b).mixed();
    (pair, pair.plain(), pair.most())
}

#[routine]
trait Area {
    fn side(&self) -> u32;

    fn area(&self) -> u32 {
        square!(self.side())
    }
}

#[routine]
impl Area for Pair {
    fn side(&self) -> u32 {
        largest!(self.0 % 100, self.1 % 100)
    }
}

#[routine]
fn macro_in_default_bodies(a: u32, b: u32) -> u32 {
    Pair(a, b).area()
}

macro_rules! table {
    ($name:ident = $($value:expr),*) => {
        const $name: [u32; 3] = [$($value),*];
    };
}

#[routine]
fn macro_with_items(a: u32) -> u32 {
    table!(TABLE = 3, 5, 7);
    TABLE[a as usize % 3]
}

macro_rules! square_of {
    ($x:expr) => {{
        let x = $x;
        x * x
    }};
}

macro_rules! wave {
    ($x:expr) => {
        ($x).sin() * 2.0
    };
}

#[routine]
fn floats_in_macros(x: f32, y: f64) -> (f32, f64, f32) {
    let half = |x: f32| square_of!(x / 2.0);
    macro_rules! least {
        ($a:expr, $b:expr) => {
            $a.min($b)
        };
    }
    (wave!(x), wave!(y), half(x) + least!(x, 1.5))
}

#[routine]
fn macro_in_nested_function(a: u32) -> u32 {
    fn inner(n: u32) -> u32 {
        square!(n) ^ largest!(n, 3)
    }
    inner(a % 1000)
}

macro_rules! product {
    ($a:expr, $b:expr) => {
        $a * $b
    };
}

#[routine]
fn precedence_of_fragments(a: u32, b: u32) -> (u32, i32) {
    let (a, b) = (a % 100, b % 100);
    (
        product!(a + 1, b + 2) + product!(a, 3) * product!(1 + 1, b),
        -product!(a as i32 - 5, 2 + 1),
    )
}

#[routine]
fn macro_traps(a: u32, b: u32) -> u32 {
    let list = [a, b, 3];
    let at = product!(b % 4 / 3, 3);
    checked!(a % 16 != 5, "a is {a}");
    list[at as usize]
}

macro_rules! told {
    ($($value:expr),*) => {
        $(println!("it is {}", $value);)*
    };
}

#[routine]
fn macro_that_prints(a: u32) -> u32 {
    if a % 16 == 3 {
        told!(a, a ^ 1);
    }
    a ^ 2
}

/// Of a file that has no routines.
#[routine]
fn macro_of_another_file(a: u32, b: u32) -> (u32, u32) {
    (blended!(a, b; 3), blended!(b, a ^ 5; 1))
}

// rustc does not see the calls that the attribute expands.
#[allow(unused_macros)]
macro_rules! halves {
    ($($name:ident: $shift:literal, $of:ident;)*) => {$(
        /// A half of the word.
        fn $name(&self) -> u16 {
            (self.$of() >> $shift) as u16
        }
    )*};
}

#[derive(VmType, Clone, Copy, Debug)]
struct Word(u32);

#[routine]
impl Word {
    const LIMIT: u16 = 100;

    fn mixed(&self) -> u32 {
        self.0.wrapping_mul(0x9e37_79b9)
    }

    halves! { low: 0, mixed; high: 16, mixed; }

    fn sum(&self) -> u16 {
        self.low() % Self::LIMIT + self.high() % Self::LIMIT
    }
}

#[allow(unused_macros)]
macro_rules! provided {
    ($name:ident = $value:expr) => {
        fn $name(&self) -> u32 {
            self.bits() ^ $value
        }
    };
}

#[routine]
trait Flipped {
    fn bits(&self) -> u32;
    provided!(flipped = u32::MAX);
}

#[routine]
impl Flipped for Word {
    fn bits(&self) -> u32 {
        self.0
    }
}

#[routine]
fn macros_of_items(a: u32) -> (u16, u16, u32) {
    let word = Word(a);
    (word.sum(), word.high(), word.flipped())
}
