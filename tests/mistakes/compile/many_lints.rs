//! A mistake of first contact that is none any more.

#![deny(missing_docs, unsafe_code, unused, nonstandard_style, rust_2018_idioms, unreachable_pub, missing_debug_implementations, missing_copy_implementations, trivial_casts, unused_qualifications, unused_results, single_use_lifetimes, let_underscore_drop, future_incompatible, keyword_idents)]
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
