//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(x: u32) -> u32 { match x { 0..=9 => 1, 10 | 11 => 2, n if n > 100 => 3 } }
//~ «x» non-exhaustive patterns: `12_u32..=u32::MAX` not covered … ensure that all possible cases are being handled by adding a match arm with a wildcard pattern or an explicit pattern as shown
fn main() {}
