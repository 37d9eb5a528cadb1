//! A macro in a routine that is defined elsewhere.

#![allow(unused)]

use gpuvm::prelude::*;

mod macros {
    macro_rules! double {
        ($x:expr) => {
            $x * 2.0
        };
    }
    pub(crate) use double;
}
use macros::double;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    double!(x) + n as f32
}

fn main() {}
