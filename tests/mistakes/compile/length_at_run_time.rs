//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(n: usize) -> u32 { let a = [0u32; n]; a[0] }
//~ «n» attempt to use a non-constant value in a constant
fn main() {}
