//! #[routine] on one method of an `impl` block.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct P(f32);

impl P {
    #[routine]
    fn get(&self) -> f32 {
        self.0
    }
}

fn main() {}
