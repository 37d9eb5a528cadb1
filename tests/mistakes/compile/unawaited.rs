//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(RingMessage, Clone, Copy, Debug)]
struct D { c: u32 }
#[ring_kernel]
fn k(s: &mut u32, d: D) -> D { *s += d.c; d }
async fn go(rt: &Runtime) -> gpuvm::Result<()> {
    let h = rt.launch_ring("k", RingOptions { actors: 4, ..default() }).await?;
    h.activate();
    h.send(1, D { c: 1 });
    h.terminate().await
}
fn main() { pollster::block_on(go(&Runtime::new().unwrap())).unwrap() }
