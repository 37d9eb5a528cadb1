//! A routine written by a macro, whose names do not meet the user's.

#![allow(unused)]

use gpuvm::prelude::*;

macro_rules! make {
    ($name:ident, $x:ident, $body:expr) => {
        #[routine]
        fn $name($x: f32) -> f32 {
            let y = 2.0;
            let inner = $body;
            inner + y
        }
    };
}

make!(squared, y, y * y);

fn main() {}
