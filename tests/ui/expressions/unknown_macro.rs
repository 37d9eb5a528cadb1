//! A macro of the user's in a routine.

#![allow(unused)]

use gpuvm::prelude::*;

macro_rules! double {
    ($x:expr) => {
        $x * 2.0
    };
}

#[routine]
fn f(x: f32, n: u32) -> f32 {
    double!(x) + n as f32
}

fn main() {}
