//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn count(n: u32) -> u32 {
    let c = 0;
    for _ in 0..n { c += 1; }
//~ «c += 1» cannot assign twice to immutable variable `c` … consider making this binding mutable
    c
}
fn main() {}
