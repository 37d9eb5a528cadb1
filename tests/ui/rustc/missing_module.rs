//! A function of a module that is not there.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32) -> f32 {
    shapes::area(x) + 1.0
//~ «shapes» cannot find module or crate `shapes` in this scope … use of unresolved module or unlinked crate `shapes`
}

fn main() {}
