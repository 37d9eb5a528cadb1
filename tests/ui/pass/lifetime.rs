//! A struct with a lifetime.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Link<'a> {
    next: &'a u32,
}

fn main() {}
