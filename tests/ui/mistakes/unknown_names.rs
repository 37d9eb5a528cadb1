//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct P { x: f32 }
#[routine]
fn f(p: P) -> f32 { p.z + p.lenn() + undefined_var }
fn main() {}
