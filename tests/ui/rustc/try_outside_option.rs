//! `?` in a routine that returns no Option.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let y = n.checked_add(1)?;
//~ «?» the `?` operator can only be used in a function that returns `Result` or `Option`
    x + y as f32
}

fn main() {}
