//! Type arguments on a method.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    x + n.pow::<u32>(2) as f32
//~ «pow» method takes 0 generic arguments but 1 generic argument was supplied … remove the unnecessary generics
}

fn main() {}
