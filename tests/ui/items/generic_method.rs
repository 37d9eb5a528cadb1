//! A method with a type parameter that has the name of one that every type has.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct P(f32);

#[routine]
impl P {
    fn max<T: VmType>(self, other: T) -> f32 {
        self.0
    }
}

fn main() {}
