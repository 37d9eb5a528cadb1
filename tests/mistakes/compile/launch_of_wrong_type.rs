//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn double(x: f32) -> f32 { x * 2.0 }
fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let v: Vec<u32> = vec![1, 2, 3];
    let out: Vec<f32> = double::launch(&rt, &v)?.output()?;
//~ «&v» `&Vec<u32>` does not fit this parameter of the routine … expected a column `&[f32]`, `&Vec<f32>` or `&Buffer<f32>`, or one `f32` for all VMs
    Ok(())
}
