//! An enum without variants.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
enum Never {}

fn main() {}
