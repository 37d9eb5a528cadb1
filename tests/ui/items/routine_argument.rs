//! An argument that #[routine] does not know.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine(name = "g")]
fn f(x: f32) -> f32 {
    x
}

fn main() {}
