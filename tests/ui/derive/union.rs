//! A union.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
union Bits {
    float: f32,
    word: u32,
}

fn main() {}
