//! A misspelt callee.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    helpr(x) + n as f32
//~ «helpr» unresolved import `helpr` … no external crate `helpr`
//~ «helpr» cannot find function `helpr` in this scope
}

#[routine]
fn helper(x: f32) -> f32 {
    x
}

fn main() {}
