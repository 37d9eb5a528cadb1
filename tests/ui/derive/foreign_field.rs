//! A field of a type that the machine does not have.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Named {
    name: String,
}

fn main() {}
