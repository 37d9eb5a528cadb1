//! References where a generic routine takes values.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, PartialEq, PartialOrd)]
struct V(f32);

#[routine]
fn largest<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[routine]
fn largest_of_values<T: PartialOrd + Copy + VmType>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[routine]
fn f(x: V, y: V) -> f32 {
    largest(&x, &y).0
}

#[routine]
fn g(x: V, y: V) -> f32 {
    largest_of_values(&x, &y).0
//~ «largest_of_values» `&V` cannot be a value of the machine
}

fn main() {}
