//! A launch with a column of the wrong type.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    x + n as f32
}

fn launch(runtime: &Runtime) -> gpuvm::Result<()> {
    f::launch(runtime, &[1u32, 2], 3u32)?;
//~ «&[1u32, 2]» `&[u32; 2]` does not fit this parameter of the routine … expected a column `&[f32]`, `&Vec<f32>` or `&Buffer<f32>`, or one `f32` for all VMs
    Ok(())
}

fn main() {}
