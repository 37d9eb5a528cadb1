//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn double(x: f32) -> f32 { x * 2.0 }
fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let v: Vec<f32> = vec![1.0];
    let a = rt.launch("double")?.args(&v).run()?;
//~ «&v» `&Vec<f32>` is no tuple of arguments … a tuple of arguments has 12 entries at most: make one struct with `#[derive(VmType, Clone, Copy)]` of some of them … use a unary tuple instead
    let b = rt.launch("double")?.args((&v)).run()?;
//~ «(&v)» `&Vec<f32>` is no tuple of arguments … a tuple of arguments has 12 entries at most: make one struct with `#[derive(VmType, Clone, Copy)]` of some of them … use a unary tuple instead
    let c = rt.launch("double")?.args((v,)).run()?;
//~ «v» `Vec<f32>` cannot be an argument of a launch … neither a column nor a value of the machine
    Ok(())
}
