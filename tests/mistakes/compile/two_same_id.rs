//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
mod a { use gpuvm::prelude::*; #[routine] pub fn step(x: f32) -> f32 { x + 1.0 } }
mod b { use gpuvm::prelude::*; #[routine] pub fn step(x: f32) -> f32 { x + 2.0 } }
fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let v = vec![1.0f32; 3];
    let o: Vec<f32> = rt.launch("step")?.args((&v,)).run()?.output()?;
    println!("{o:?}");
    let o: Vec<f32> = a::step::launch(&rt, &v)?.output()?;
    println!("{o:?}");
    Ok(())
}
