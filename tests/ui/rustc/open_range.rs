//! A loop over a range from the start.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
//~ «#[routine]» `RangeTo<u32>` is not an iterator … if you meant to iterate until a value, add a starting value
fn f(x: f32, n: u32) -> f32 {
    let mut sum = x;
    for i in ..n {
//~ «..n» `RangeTo<u32>` is not an iterator … if you meant to iterate until a value, add a starting value
//~ «.» a `for` loop inside a #[routine] cannot run over `RangeTo<u32>` … put `#[routine]` above the `impl Iterator` of a type of your own
        sum += i as f32;
    }
    sum
}

fn main() {}
