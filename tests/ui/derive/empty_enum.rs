//! An enum without variants.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
enum Never {}
//~ «Never» an enum without variants has no values; give it at least one variant

fn main() {}
