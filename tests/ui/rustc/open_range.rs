//! Loops over what is no iterator.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let mut sum = x;
    for i in ..n {
//~ «..n» `RangeTo<u32>` is not an iterator … if you meant to iterate until a value, add a starting value
        sum += i as f32;
    }
    for i in n {
//~ «n» `u32` is not an iterator … use the exclusive range syntax `start..end`
        sum += i as f32;
    }
    for i in 10 {
//~ «10» `{integer}` is not an iterator … use the exclusive range syntax `start..end`
        sum += i as f32;
    }
    sum
}

fn main() {}
