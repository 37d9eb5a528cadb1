//! A type that contains itself.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Node {
    value: f32,
    next: Option<Node>,
}

fn main() {}
