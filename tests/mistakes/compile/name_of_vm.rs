//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn vm(x: u32) -> u32 { x + vm::id() }
//~ «id» no function or associated item named `id` found for struct `vm` in the current scope … function or associated item not found in `vm`
fn main() {}
