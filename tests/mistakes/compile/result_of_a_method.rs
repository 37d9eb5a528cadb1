//! What a method of std's gives where another type is wanted.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn maybe(list: &[u32]) -> u32 {
    list.get(1)
//~ «list.get(1)» mismatched types … expected `u32`, found `Option<&u32>`
}

#[routine]
fn place(list: &[u32]) -> Option<u32> {
    list.iter().position(|x| *x == 1)
//~ «list.iter().position(|x| *x == 1)» mismatched types … expected `Option<u32>`, found `Option<usize>`
}

#[routine]
fn mapped(x: Option<u32>) -> Option<f32> {
    x.map(|x| x + 1)
//~ «x.map(|x| x + 1)» mismatched types … expected `Option<f32>`, found `Option<u32>`
}

#[routine]
fn mapped_and_taken(x: Option<u32>) -> f32 {
    x.map(|x| x + 1).unwrap_or(0)
//~ «x.map(|x| x + 1).unwrap_or(0)» mismatched types … expected `f32`, found `u32`
}

#[routine]
fn reduced(list: &[u32]) -> f32 {
    list.iter().copied().reduce(|a, b| a + b).unwrap()
//~ «list.iter().copied().reduce(|a, b| a + b).unwrap()» mismatched types … expected `f32`, found `u32`
}

#[routine]
fn counted(list: &[f32]) -> u32 {
    list.iter().count()
//~ «list.iter().count()» mismatched types … expected `u32`, found `usize`
}

#[routine]
fn summed(list: &[u32]) -> f32 {
    list.iter().zip(list).map(|(a, b)| a * b).sum::<u32>()
//~ «list.iter().zip(list).map(|(a, b)| a * b).sum::<u32>()» mismatched types … expected `f32`, found `u32`
}

#[routine]
fn array(list: [u32; 3]) -> [f32; 3] {
    list.map(|x| x * 2)
//~ «list.map(|x| x * 2)» mismatched types … expected `[f32; 3]`, found `[u32; 3]`
}

#[routine]
fn no_option(x: Option<u32>) -> Option<u32> {
    x.and_then(|x| x + 1)
//~ «x + 1» mismatched types … found type `u32`
}

#[routine]
fn fold_of_another(list: &[f32]) -> f32 {
    list.iter().fold(0, |a, b| a + b)
//~ «0» mismatched types … expected `f32`, found integer
}

#[routine]
fn other_error(x: Option<u32>) -> Result<u32, f32> {
    x.ok_or(1u32)
//~ «1u32» mismatched types … expected `f32`, found `u32`
}

#[routine]
fn no_type(list: &[f32]) -> f32 {
    list.iter().sum() / 2.0
//~ «sum» type annotations needed … `_: Sum<&f32>`
//~ «sum» type annotations needed … `_: Div<f64>`
}

#[routine]
fn no_type_to_add(a: f32, list: &[f32]) -> f32 {
    a + list.iter().map(|x| x * 2.0).sum() / 2.0
//~ «+» type annotations needed … `<f32 as Add<_>>::Output == f32`
//~ «sum» type annotations needed
}

fn main() {}
