//! A type that contains itself.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Node {
//~ «struct Node» recursive type `Node` has infinite size
    value: f32,
    next: Option<Node>,
//~ «Option<Node>» a type cannot contain itself: the machine has no heap; store an index into a slice instead
}

fn main() {}
