//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn double(x: f32) -> f32 { x * 2.0 }
fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let v: Vec<f32> = vec![1.0];
    let a: f32 = rt.launch("double")?.args((&v,)).run()?.output()?;
//~ «output» the trait bound `f32: gpuvm::Output` is not satisfied … the trait `gpuvm::Output` is not implemented for `f32`
    let b = rt.launch("double")?.args((&v,)).run()?.output()?;
    let c: &[f32] = rt.launch("double")?.args((&v,)).run()?.output()?;
//~ «output» the trait bound `&[f32]: gpuvm::Output` is not satisfied … the trait `gpuvm::Output` is not implemented for `&[f32]`
    Ok(())
}
