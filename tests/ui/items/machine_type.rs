//! Methods for one of the machine's own types, of a trait that is no routine's.

#![allow(unused)]

use gpuvm::prelude::*;

trait Double {
    fn double(self) -> Self;
}

#[routine]
impl Double for f32 {
    fn double(self) -> f32 {
        self * 2.0
    }
}

fn main() {}
