//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn double(x: f32) -> f32 { x * 2.0 }
fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let v: Vec<f32> = vec![1.0];
    let a = rt.launch("double")?.args(&v).run()?;
    let b = rt.launch("double")?.args((&v)).run()?;
    let c = rt.launch("double")?.args((v,)).run()?;
    Ok(())
}
