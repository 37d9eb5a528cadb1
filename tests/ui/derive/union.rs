//! A union.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
union Bits {
//~ «union» a union does not say which of its fields holds; write an enum
    float: f32,
    word: u32,
}

fn main() {}
