//! A sum or a product of another type than the elements make.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn summed(list: &[f32]) -> u32 {
    list.iter().sum()
//~ «sum» a value of type `u32` cannot be made by summing an iterator over elements of type `&f32`
}

#[routine]
fn summed_into_a_variable(list: &[f32]) -> f32 {
    let x: u32 = list.iter().sum();
//~ «sum» a value of type `u32` cannot be made by summing an iterator over elements of type `&f32`
    x as f32
}

#[routine]
fn multiplied(list: [u32; 4]) -> f32 {
    list.iter().map(|x| x * 2).product()
//~ «product» a value of type `f32` cannot be made by multiplying all elements of type `u32` from an iterator
}

#[routine]
fn written(list: &[u8]) -> u32 {
    list.iter().copied().sum::<u32>()
//~ «u32» a value of type `u32` cannot be made by summing an iterator over elements of type `u8`
}

#[routine]
fn right(list: &[f32], n: u32) -> (f32, u32, f32) {
    let sum: f32 = list.iter().sum();
    let unknown = list.iter().sum();
    let best = if sum > 1.0 { unknown } else { 0.0 };
    (best, (0..n).map(|x| x * 2).sum::<u32>(), list.iter().copied().product())
}

fn main() {}
