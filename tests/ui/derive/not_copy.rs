//! A type that is not Copy.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType)]
struct P {
    x: f32,
}

fn main() {}
