//! A launch with a column of the wrong type.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    x + n as f32
}

fn launch(runtime: &Runtime) -> gpuvm::Result<()> {
    f::launch(runtime, &[1u32, 2], 3u32)?;
    Ok(())
}

fn main() {}
