//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
struct S { x: f32 }
fn main() {}
