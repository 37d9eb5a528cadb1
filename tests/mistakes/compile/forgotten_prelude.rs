//! A mistake of first contact.

#![allow(unused)]

use gpuvm::routine;
#[derive(VmType, Clone, Copy)]
//~ «VmType» cannot find derive macro `VmType` in this scope
struct P { x: f32 }
#[routine]
fn bump(p: &mut P) { p.x += 1.0; vm::yield_now(); }
//~ «vm» cannot find module or crate `vm` in this scope
//~ «P» `P` cannot be a value of the machine … if `P` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
fn main() -> gpuvm::Result<()> { let r = Runtime::new()?; Ok(()) }
//~ «Runtime» cannot find type `Runtime` in this scope … use of undeclared type `Runtime`
