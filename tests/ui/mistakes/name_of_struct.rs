//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[allow(non_camel_case_types)]
#[derive(VmType, Clone, Copy)]
struct particle { x: f32 }
#[routine]
fn particle(x: f32) -> f32 { x }
fn main() {}
