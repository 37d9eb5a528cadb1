//! A field that is a reference.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Link {
    next: &'static u32,
}

fn main() {}
