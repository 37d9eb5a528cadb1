//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn vm(x: u32) -> u32 { x + vm::id() }
fn main() {}
