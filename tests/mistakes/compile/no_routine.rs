//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
fn square(x: f32) -> f32 { x * x }
#[routine]
fn twice(x: f32) -> f32 {
    square(x) + square(x)
//~ «square» `fn(f32) -> f32 {square}` is not a routine, and only routines can be called inside a #[routine] … put `#[routine]` above the `fn` that is called here
//~ «square» `fn(f32) -> f32 {square}` is not a routine, and only routines can be called inside a #[routine] … put `#[routine]` above the `fn` that is called here
}
fn main() {}
