//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn square(x: f32) -> f32 { x * x; }
//~ «f32» mismatched types … remove this semicolon to return this value
fn main() {}
