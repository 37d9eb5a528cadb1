//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(mode: &str) -> u32 { match mode { "a" => 1, _ => 2 } }
fn main() {}
