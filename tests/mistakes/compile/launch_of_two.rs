//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn double(x: f32, k: f32) -> f32 { x * k }
fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let v: Vec<f32> = vec![1.0];
    let out: Vec<f32> = double::launch(&rt, &v)?.output()?;
//~ «double::launch» this function takes 3 arguments but 2 arguments were supplied
    Ok(())
}
