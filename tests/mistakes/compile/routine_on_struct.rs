//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
struct S { x: f32 }
//~ «struct» #[routine] goes on a `fn`, an `impl` block or a `trait`
fn main() {}
