//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(a: &mut [f32], n: u32) { let id = vm::id() as usize; a[id] = n as f32; }
fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let mut v = vec![0.0f32; 8];
    rt.launch("f")?.args((&mut v, 3u32)).vms(8).run()?;
    println!("{v:?}");
    Ok(())
}
