//! A literal of another type in a tuple.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Pair {
    p: (f32, u32),
}

#[routine]
fn takes(p: (f32, f32)) -> f32 {
    p.0
}

#[routine]
fn returned(x: u32) -> (f32, f32) {
    (1, 2.0)
//~ «1» mismatched types … expected `f32`, found integer
}

#[routine]
fn given(x: u32) -> f32 {
    takes((1, 2.0))
//~ «1» mismatched types … expected `f32`, found integer
}

#[routine]
fn in_a_field(x: u32) -> u32 {
    Pair { p: (1, 2) }.p.1
//~ «1» mismatched types … expected `f32`, found integer
}

#[routine]
fn assigned(x: u32) -> f32 {
    let mut p = (0.0f32, 1.0f32);
    p = (1, 2.0);
//~ «1» mismatched types … expected `f32`, found integer
    p.0
}

#[routine]
fn folded(list: [f32; 3]) -> (f32, u32) {
    list.iter().fold((0, 0), |a, x| (a.0 + x, a.1 + 1))
//~ «0» mismatched types … expected `f32`, found integer
}

#[routine]
fn of_a_closure(x: u32) -> (f32, u32) {
    let f = |y: u32| -> (f32, u32) { (0, y) };
//~ «0» mismatched types … expected `f32`, found integer
    f(x)
}

fn main() {}
