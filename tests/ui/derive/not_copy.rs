//! A type that is not Copy.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType)]
struct P {
//~ «P» the trait bound `P: std::marker::Copy` is not satisfied … the trait `std::marker::Copy` is not implemented for `P`
    x: f32,
}

fn main() {}
