//! An argument that #[vm_type] does not know.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
#[vm_type(packed)]
//~ «packed» #[vm_type] takes `manual_eq`, `manual_ord` and `crate = path`
struct P {
    x: f32,
}

fn main() {}
