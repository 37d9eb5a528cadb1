//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(Clone, Copy)]
struct Point { x: f32, y: f32 }
#[routine]
fn len(p: Point) -> f32 {
    p.x * p.x + p.y * p.y
}
fn main() {}
