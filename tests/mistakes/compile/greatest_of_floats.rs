//! The greatest of floats, which have no order.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn greatest(list: &[f32]) -> f32 {
    list.iter().copied().max().unwrap()
//~ «max» the trait bound `f32: Ord` is not satisfied
}

#[routine]
fn least(list: [f32; 4]) -> f32 {
    list.into_iter().min().unwrap_or_default()
//~ «min» the trait bound `f32: Ord` is not satisfied
}

#[routine]
fn greatest_of_what_is_made(list: &[f32]) -> f32 {
    let best = list.iter().map(|x| x * 2.0).max();
//~ «max» the trait bound `f32: Ord` is not satisfied
    best.unwrap_or(0.0)
}

fn main() {}
