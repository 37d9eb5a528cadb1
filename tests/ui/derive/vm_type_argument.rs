//! An argument that #[vm_type] does not know.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
#[vm_type(packed)]
struct P {
    x: f32,
}

fn main() {}
