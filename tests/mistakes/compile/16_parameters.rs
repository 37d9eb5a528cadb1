//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn many(a0: u32, a1: u32, a2: u32, a3: u32, a4: u32, a5: u32, a6: u32, a7: u32, a8: u32, a9: u32, a10: u32, a11: u32, a12: u32, a13: u32, a14: u32, a15: u32) -> u32 { a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 }
fn main() -> gpuvm::Result<()> { let rt = Runtime::new()?; let v = [1u32]; let a: Vec<u32> = many::launch(&rt, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v)?.output()?; let b: Vec<u32> = rt.launch("many")?.args((&v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v,)).run()?.output()?; Ok(()) }
//~ «&v» this routine cannot be launched: it has more than 12 parameters, or more than 8 that are `&mut` … make one struct with `#[derive(VmType, Clone, Copy)]` of some of them
//~ «(&v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v, &v,)» `(..., ..., ..., ..., ..., ..., ..., ..., ..., ..., ..., ..., ..., ..., ..., ...)` is no tuple of arguments … a tuple of arguments has 12 entries at most: make one struct with `#[derive(VmType, Clone, Copy)]` of some of them
