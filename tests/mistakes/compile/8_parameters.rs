//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn many(a0: u32, a1: u32, a2: u32, a3: u32, a4: u32, a5: u32, a6: u32, a7: u32) -> u32 { a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 }
fn main() -> gpuvm::Result<()> { let rt = Runtime::new()?; let v = [1u32]; let a: Vec<u32> = many::launch(&rt, &v, &v, &v, &v, &v, &v, &v, &v)?.output()?; let b: Vec<u32> = rt.launch("many")?.args((&v, &v, &v, &v, &v, &v, &v, &v,)).run()?.output()?; Ok(()) }
