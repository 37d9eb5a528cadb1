//! A #[routine] trait's method with a body.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
trait Area {
    fn area(&self) -> f32 {
        1.0
    }
}

fn main() {}
