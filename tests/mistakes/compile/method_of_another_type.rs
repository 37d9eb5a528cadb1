//! Methods that a type does not have, or that are given what they do not take.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Ball {
    size: f32,
}

#[routine]
fn square(x: f32) -> f32 {
    x.pow(2)
//~ «pow» no method named `pow` found for struct … there is a method `powf` with a similar name
}

#[routine]
fn square_of_part(ball: Ball) -> f32 {
    ball.size.pow(2)
//~ «pow» no method named `pow` found for struct … there is a method `powf` with a similar name
}

#[routine]
fn power(ball: Ball) -> f32 {
    ball.size.powi(2.0)
//~ «2.0» mismatched types … expected `i32`, found floating-point number
}

#[routine]
fn least(a: u32, b: f32) -> u32 {
    a.min(b)
//~ «b» mismatched types … expected `u32`, found `f32`
}

#[routine]
fn bounded(x: u32) -> f32 {
    x.clamp(0, 5)
//~ «clamp(0, 5)» mismatched types … expected `f32`, found `u32`
}

#[routine]
fn root(x: u32) -> u32 {
    x.sqrt()
//~ «sqrt» no method named `sqrt` found for type `u32`
}

#[routine]
fn total(list: &[f32]) -> f32 {
    list.sum()
//~ «sum» no method named `sum` found for reference `&[f32]`
}

#[routine]
fn doubled(list: &[f32]) -> f32 {
    list.map(|x| x * 2.0)[0]
//~ «map» no method named `map` found for reference `&[f32]`
}

#[routine]
fn inside(x: Option<f32>) -> f32 {
    x.get()
//~ «get» no method named `get` found for enum `Option<T>`
}

#[routine]
fn greatest(list: &[f32]) -> f32 {
    *list.iter().max().unwrap()
//~ «max» the trait bound `f32: Ord` is not satisfied
}

#[routine]
fn greatest_by_key(balls: [Ball; 4]) -> f32 {
    balls.iter().max_by_key(|ball| ball.size).unwrap().size
//~ «max_by_key» the trait bound `f32: Ord` is not satisfied
}

#[routine]
fn sorted(list: [f32; 4]) -> f32 {
    let mut list = list;
    list.sort();
//~ «sort» the trait bound `f32: Ord` is not satisfied
    list[0]
}

#[routine]
fn has(list: &[f32]) -> bool {
    list.contains(1)
//~ «1» mismatched types … expected `&f32`, found integer
}

fn main() {}
