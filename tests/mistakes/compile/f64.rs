//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn area(r: f64) -> f64 {
    std::f64::consts::PI * r * r
}
fn main() {}
