//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
enum Bad { Zero }
#[routine]
fn div(a: u32, b: u32) -> Result<u32, Bad> { if b == 0 { Err(Bad::Zero) } else { Ok(a / b) } }
#[routine]
fn go(a: u32, b: u32) -> Result<u32, Bad> { let q = div(a, b)?; Ok(q + 1) }
fn main() {}
