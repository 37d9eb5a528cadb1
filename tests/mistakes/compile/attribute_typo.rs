//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine(name = "bump")]
//~ «name» #[routine] takes `id = "name"`, `relaxed`, `callee` and `crate = path`
fn bump(x: f32) -> f32 { x }
fn main() {}
