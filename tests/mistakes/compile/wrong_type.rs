//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn half(x: u32) -> u32 {
    let y: f32 = x * 0.5;
//~ «*» cannot multiply `u32` by `{float}` … no implementation for `u32 * {float}`
    y as u32
}
fn main() {}
