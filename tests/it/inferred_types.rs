//! What rustc infers from what is expected: the type of a routine's result, the argument of `NonZero::new`; and patterns of bytes.

use core::num::NonZero;

use gpuvm::prelude::*;

cases! { fold_at_the_end, fold_for_a_variable, non_zero_by_argument, non_zero_by_annotation, byte_patterns, byte_patterns_of_slices, sizes_of_values }

#[routine]
fn fold_at_the_end(a: u32, b: u32) -> u32 {
    [a, b, 3].iter().fold(0, |hash, x| hash.rotate_left(5) ^ x)
}

#[routine]
fn fold_for_a_variable(a: u32, b: u32) -> (u64, i8) {
    let wide: u64 = [a, b]
        .into_iter()
        .fold(0, |hash, x| hash.rotate_left(17) ^ u64::from(x));
    let short: i8 = (0..4).fold(1, |x, i| x.rotate_left(i) ^ a as i8);
    (wide, short)
}

#[routine]
fn twice(n: NonZero<u32>) -> u64 {
    u64::from(n.get()) * 2
}

#[routine]
fn non_zero_by_argument(a: u32, b: u8) -> (u64, u32) {
    let twice = match NonZero::new(a) {
        Some(n) => twice(n),
        None => 0,
    };
    (twice, NonZero::new(b).map_or(99, |n| n.leading_zeros()))
}

#[routine]
fn non_zero_by_annotation(a: u32) -> Option<NonZero<u64>> {
    let seven: NonZero<u8> = NonZero::new(7).unwrap();
    if a % 2 == 0 {
        NonZero::new(u64::from(a))
    } else {
        NonZero::new(u64::from(seven.get()))
    }
}

#[routine]
fn byte_patterns(a: u8, b: u8) -> u32 {
    let text = [b'a' + a % 3, b'a' + b % 3];
    match &text {
        b"aa" => 1,
        b"ab" | b"ba" => 2,
        [b'c', ..] => 3,
        _ => 4,
    }
}

#[routine]
fn byte_patterns_of_slices(a: u8, n: u8) -> u32 {
    let text = [b'x', b'a' + a % 3, b'z'];
    let part: &[u8] = &text[usize::from(n % 4)..];
    match part {
        b"" => 0,
        b"z" => 1,
        b"az" | b"bz" => 2,
        b"xcz" => 3,
        _ => 4,
    }
}

#[routine]
fn sizes_of_values(a: u32, x: f64) -> (usize, usize, usize) {
    use core::mem::size_of_val;
    let list = [a; 5];
    (size_of_val(&list), size_of_val(&x), core::mem::align_of_val(&(a as u8)))
}
