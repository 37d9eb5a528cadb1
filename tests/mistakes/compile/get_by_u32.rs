//! An element by what is no `usize`, and a conversion that may lose something.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn literal(list: &[f32]) -> f32 {
    *list.get(1u32).unwrap()
//~ «1u32» the type `[f32]` cannot be indexed by `u32`
}

#[routine]
fn variable(list: [f32; 4], i: u32) -> f32 {
    match list.get(i) {
//~ «i» the type `[f32]` cannot be indexed by `u32`
        Some(x) => *x,
        None => 0.0,
    }
}

#[routine]
fn narrowed(x: u32) -> u8 {
    x.into()
//~ «into» the trait bound `u8: From<u32>` is not satisfied
}

#[routine]
fn narrowed_into_a_variable(x: f64) -> f32 {
    let y: f32 = x.into();
//~ «into» the trait bound `f32: From<f64>` is not satisfied
    y
}

fn main() {}
