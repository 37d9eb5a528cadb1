//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn bump(x: &mut f32) { *x += 1.0; }
fn main() -> gpuvm::Result<()> {
    let runtime = Runtime::new()?;
    let mut v = vec![1.0f32; 10];
    runtime.launch("bump")?.args((&mut v,)).run();
    runtime.launch("bump")?.args((&mut v,));
    Ok(())
}
