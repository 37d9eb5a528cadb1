//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct P { x: f32 }
#[routine]
fn f(p: P) -> f32 { p.z + p.lenn() + undefined_var }
//~ «undefined_var» cannot find value `undefined_var` in this scope … not found in this scope
//~ «z» no field `z` on type `P` … unknown field
//~ «lenn» no method named `lenn` found for struct `P` in the current scope … method not found in `P`
fn main() {}
