//! Methods that numbers of another kind have: the type is named.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn square(x: f32) -> f32 {
    x.pow(2)
//~ «pow» no method named `pow` found for struct `MethodsOf<'_, f32>` in the current scope … there is a method `powf` with a similar name
}

#[routine]
fn square_of_double(x: f64) -> f64 {
    (x + 1.0).pow(2)
//~ «pow» no method named `pow` found for struct `MethodsOf<'_, f64>` in the current scope
}

#[routine]
fn square_by_path(x: f32) -> f32 {
    f32::pow(x, 2)
//~ «pow» no function or associated item named `pow` found for type `f32` in the current scope
}

#[routine]
fn sine_by_path(x: u32) -> u32 {
    u32::sin(x)
//~ «sin» no function or associated item named `sin` found for type `u32` in the current scope
}

#[routine]
fn sine(x: u32) -> u32 {
    x.sin()
//~ «sin» no method named `sin` found for struct `MethodsOf<'_, u32>` in the current scope
}

#[routine]
fn logarithm(x: f32) -> u32 {
    x.ilog2()
//~ «ilog2» no method named `ilog2` found for struct `MethodsOf<'_, f32>` in the current scope
}

#[routine]
fn least(a: f32, b: f32) -> f32 {
    f32::min(a, b).min(f32::max(b, 1.0)) + f32::powi(a, 2) + f32::abs(b) + i32::pow(3, 2) as f32 + i32::clamp(7, 1, 3) as f32
}

fn main() {}
