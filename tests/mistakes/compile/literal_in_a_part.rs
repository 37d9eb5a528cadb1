//! Literals of another type inside of tuples, lists, structs and variants.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Point {
    x: f32,
    n: u32,
}

#[derive(VmType, Clone, Copy)]
enum Shape {
    Circle(f32),
    Square { side: u32 },
}

#[routine]
fn tuple(x: u32) -> u32 {
    let pair: (u32, f32) = (1, 2);
//~ «2» mismatched types … expected `f32`, found integer … use a float literal
    pair.0
}

#[routine]
fn returned_tuple(x: u32) -> (u32, f32) {
    (1.0, 1.0)
//~ «1.0» mismatched types … expected `u32`, found floating-point number
}

#[routine]
fn tuple_of_variables(x: u32) -> (u32, f32) {
    (x, x)
//~ «x» mismatched types … expected `f32`, found `u32`
}

#[routine]
fn too_many(x: u32) -> (u32, u32) {
    (x, x, x)
//~ «(x, x, x)» mismatched types … expected a tuple with 2 elements, found one with 3 elements
}

#[routine]
fn option(x: u32) -> Option<u32> {
    Some(1.5)
//~ «1.5» mismatched types … expected `u32`, found floating-point number
}

#[routine]
fn option_of_a_let(x: u32) -> f32 {
    let y: Option<f32> = Some(x);
//~ «x» mismatched types … expected `f32`, found `u32`
    y.unwrap_or(0.0)
}

#[routine]
fn result(x: u32) -> Result<u32, f32> {
    if x == 0 { Err(1) } else { Ok(2) }
//~ «1» mismatched types … expected `f32`, found integer
}

#[routine]
fn early(x: u32) -> Option<f32> {
    if x == 0 {
        return Some(1);
//~ «1» mismatched types … expected `f32`, found integer
    }
    None
}

#[routine]
fn matched(x: u32) -> Option<(u32, f32)> {
    match x {
        0 => Some((1, 2)),
//~ «2» mismatched types … expected `f32`, found integer
        _ => None,
    }
}

#[routine]
fn structure(x: u32) -> Point {
    Point { x: 1, n: 2 }
//~ «1» mismatched types … expected `f32`, found integer
}

#[routine]
fn variant(x: u32) -> Shape {
    Shape::Circle(1)
//~ «1» mismatched types … expected `f32`, found integer
}

#[routine]
fn variant_with_names(x: u32) -> Shape {
    Shape::Square { side: 1.0 }
//~ «1.0» mismatched types … expected `u32`, found floating-point number
}

#[routine]
fn list(x: u32) -> [f32; 2] {
    [1, 2]
//~ «1» mismatched types … expected `f32`, found integer
}

#[routine]
fn repeated(x: u32) -> [f32; 4] {
    [0; 4]
//~ «0» mismatched types … expected `f32`, found integer
}

fn main() {}
