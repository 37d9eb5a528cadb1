//! What a list, a range or a text cannot contain.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn of_floats(list: &[f32]) -> bool {
    list.contains(&1)
//~ «&1» mismatched types … expected `&f32`, found `&{integer}`
}

#[routine]
fn without_reference(list: &[u32], x: u32) -> bool {
    list.contains(x)
//~ «x» mismatched types … expected `&u32`, found `u32`
}

#[routine]
fn of_bytes(list: [u8; 3], x: u32) -> bool {
    list.contains(&x)
//~ «&x» mismatched types … expected `&u8`, found `&u32`
}

#[routine]
fn in_a_range(x: u64) -> bool {
    (0u32..=5).contains(&x)
//~ «&x» mismatched types … expected `&u32`, found `&u64`
}

#[routine]
fn in_a_text(x: u32) -> bool {
    "abc".contains(x)
//~ «x» the trait bound `u32: Pattern` is not satisfied
}

fn main() {}
