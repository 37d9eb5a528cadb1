//! More arguments than a launch takes.

#![allow(unused)]

use gpuvm::prelude::*;

fn launch(runtime: &Runtime) -> gpuvm::Result<()> {
    runtime.launch("many")?.args((1u32, 2u32, 3u32, 4u32, 5u32, 6u32, 7u32, 8u32, 9u32, 10u32, 11u32, 12u32, 13u32)).run()?;
//~ «(1u32, 2u32, 3u32, 4u32, 5u32, 6u32, 7u32, 8u32, 9u32, 10u32, 11u32, 12u32, 13u32)» `(u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32)` is no tuple of arguments … a tuple of arguments has 12 entries at most: make one struct with `#[derive(VmType, Clone, Copy)]` of some of them
    Ok(())
}

fn main() {}
