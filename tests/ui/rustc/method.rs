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
}

fn main() {}
