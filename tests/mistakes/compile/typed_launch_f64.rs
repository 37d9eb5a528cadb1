//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn double(x: f32) -> f32 { x * 2.0 }
fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let v = vec![1.0, 2.0, 3.0];
    let out: Vec<f32> = rt.launch("double")?.args((&v,)).run()?.output()?;
    Ok(())
}
