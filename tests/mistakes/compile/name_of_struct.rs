//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[allow(non_camel_case_types)]
#[derive(VmType, Clone, Copy)]
struct particle { x: f32 }
#[routine]
//~ «#[routine]» the name `particle` is defined multiple times … `particle` redefined here
fn particle(x: f32) -> f32 { x }
fn main() {}
