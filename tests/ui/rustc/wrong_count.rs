//! A missing argument.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    helper() + x + n as f32
//~ «helper» this function takes 1 argument but 0 arguments were supplied
}

#[routine]
fn helper(x: f32) -> f32 {
    x
}

fn main() {}
