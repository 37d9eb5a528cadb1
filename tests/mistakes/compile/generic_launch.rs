//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
use std::ops::Add;
#[routine]
fn add<T: VmType + Add<Output = T> + Copy>(a: T, b: T) -> T { a + b }
fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let v = vec![1.0f32; 3];
    let o: Vec<f32> = rt.launch("add")?.args((&v, &v)).run()?.output()?;
    println!("{o:?}");
    Ok(())
}
