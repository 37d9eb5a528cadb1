//! A receiver with a type.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct P(f32);

#[routine]
impl P {
    fn get(self: &Self) -> f32 {
        self.0
    }
}

fn main() {}
