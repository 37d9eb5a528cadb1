//! An argument given twice.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine(id = "g", id = "h")]
fn f(x: f32) -> f32 {
    x
}

fn main() {}
