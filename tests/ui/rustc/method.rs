//! A method that is no routine.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct P {
    x: f32,
}

impl P {
    fn get(self) -> f32 {
        self.x
    }
}

#[routine]
fn f(p: P) -> f32 {
    p.get()
//~ «get» this method of `P` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method; of std's own methods, this one is not available inside a routine
}

fn main() {}
