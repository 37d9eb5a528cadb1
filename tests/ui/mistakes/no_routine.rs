//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
fn square(x: f32) -> f32 { x * x }
#[routine]
fn twice(x: f32) -> f32 {
    square(x) + square(x)
}
fn main() {}
