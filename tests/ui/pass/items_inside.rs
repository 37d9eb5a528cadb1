//! Constants, imports and routines inside a routine, and a routine inside a function.

#![allow(unused)]

use gpuvm::prelude::*;

fn outside() -> f32 {
    #[routine(callee)]
    fn inner(x: f32) -> f32 {
        const HALF: f32 = 0.5;
        use std::f32::consts::PI;
        #[routine(callee)]
        fn double(x: f32) -> f32 {
            x * 2.0
        }
        double(x) * HALF + PI
    }
    inner(1.0)
}

fn main() {}
