//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
fn main() -> gpuvm::Result<()> {
    #[routine]
    fn local(x: f32) -> f32 { helper(x) }
    #[routine]
    fn helper(x: f32) -> f32 { x * 2.0 }
    let rt = Runtime::builder().backend(Backend::Cpu).build()?;
    println!("{:?}", rt.launch("local")?.args((&[1.0f32],)).run()?.output::<Vec<f32>>()?);
    Ok(())
}
