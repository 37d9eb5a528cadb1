//! Relaxed floats for an `impl` block.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct P(f32);

#[routine(relaxed)]
impl P {
    fn get(self) -> f32 {
        self.0
    }
}

fn main() {}
