//! What the bounds of a type parameter do not promise.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn product<T: Copy + std::ops::Add<Output = T>>(a: T, b: T) -> T {
    (a + b) + a * b
//~ «*» cannot multiply `T` by `T` … consider further restricting type parameter `T` with trait `Mul` … std::ops::Mul<Output = T>
}

#[routine]
fn is_more<T>(a: &T, b: &T) -> bool {
    *a > *b
//~ «>» binary operation `>` cannot be applied to type `T` … fn is_more<T: std::cmp::PartialOrd>
}

#[routine]
fn sum<T: Copy>(list: &[T]) -> T {
    let mut sum = list[0];
    for x in list {
        sum += *x;
//~ «sum += *x» binary assignment operation `+=` cannot be applied to type `T` … <T: Copy + std::ops::AddAssign>
    }
    sum
}

#[routine]
fn larger<T>(a: T, b: T) -> T {
    a.max(b)
//~ «max» no method named `max` found for type parameter `T` in the current scope … fn larger<T: Ord>
}

#[routine]
fn opposite<T: Default>(a: T) -> T {
    -a
//~ «-a» cannot apply unary operator `-` to type `T` … <T: Default + std::ops::Neg>
}

#[routine]
fn all(x: f32) -> f32 {
    larger(product(x, x), opposite::<f32>(x)) + sum(&[x])
}

fn main() {}
