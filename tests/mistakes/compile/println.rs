//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn show(x: f32) -> f32 { println!("x = {x}"); x }
fn main() {}
