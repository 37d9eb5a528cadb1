//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine(name = "bump")]
fn bump(x: f32) -> f32 { x }
fn main() {}
