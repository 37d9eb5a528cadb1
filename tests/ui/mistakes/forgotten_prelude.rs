//! A mistake of first contact.

#![allow(unused)]

use gpuvm::routine;
#[derive(VmType, Clone, Copy)]
struct P { x: f32 }
#[routine]
fn bump(p: &mut P) { p.x += 1.0; vm::yield_now(); }
fn main() -> gpuvm::Result<()> { let r = Runtime::new()?; Ok(()) }
