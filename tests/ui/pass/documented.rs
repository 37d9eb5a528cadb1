//! Documentation, lints and configuration on routines.

#![allow(unused)]

use gpuvm::prelude::*;

/// Documented.
#[routine]
#[allow(clippy::needless_return)]
#[inline]
pub fn documented(x: f32) -> f32 {
    #[allow(unused_variables)]
    let y = 1;
    return x;
}

#[routine]
#[cfg(any())]
fn never(x: Missing) -> f32 {
    x
}

fn main() {}
