//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
mod physics { pub fn f() {} }
#[routine]
fn physics(x: f32) -> f32 { x }
fn main() {}
