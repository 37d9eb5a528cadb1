//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(x: u32) -> u32 { match x { 0..=9 => 1, 10 | 11 => 2, n if n > 100 => 3 } }
fn main() {}
