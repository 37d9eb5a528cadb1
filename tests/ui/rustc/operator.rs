//! An operator that is no routine.

#![allow(unused)]

use gpuvm::prelude::*;

use std::ops::Add;

#[derive(VmType, Clone, Copy)]
struct P {
    x: f32,
}

impl Add for P {
    type Output = P;
    fn add(self, other: P) -> P {
        P { x: self.x + other.x }
    }
}

#[routine]
fn f(p: P) -> P {
    p + p
//~ «+» this operator of `P` and `P` is not a #[routine] … put `#[routine]` above the `impl` of the operator's trait
}

fn main() {}
