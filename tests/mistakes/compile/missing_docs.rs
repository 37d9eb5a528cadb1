//! A mistake of first contact that is none any more.

#![forbid(missing_docs)]

use gpuvm::prelude::*;
/// P.
#[derive(VmType, Clone, Copy, Debug)]
pub struct P {
    /// X.
    pub x: f32,
}
/// D.
#[routine]
pub fn double(p: P) -> f32 {
    p.x * 2.0
}
/// M.
#[derive(RingMessage, Clone, Copy, Debug)]
pub struct M(u32);
/// K.
#[ring_kernel]
pub fn k(s: &mut u32, m: M) -> M {
    *s += m.0;
    M(*s)
}
