//! A misspelt callee.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    helpr(x) + n as f32
//~ «helpr» cannot find value `helpr` in this scope … a function with a similar name exists … helper
}

#[routine]
fn helper(x: f32) -> f32 {
    x
}

fn main() {}
