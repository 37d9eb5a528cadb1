//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn m(x: f32, y: f32) -> f32 {
    let a = x; let b = y;
    f32::max(a, b).clamp(0.0, 1.0) * std::f32::consts::PI + f32::EPSILON + a.hypot(b) + a.mul_add(b, 1.0) + a.to_radians() + f32::from(3u8)
}
fn main() {}
