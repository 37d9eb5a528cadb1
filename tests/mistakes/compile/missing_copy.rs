//! No mistake any more: a type that is no `Copy` stays inside of routines.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType)]
struct Point { x: f32, y: f32 }
#[routine]
fn len(p: Point) -> f32 {
    p.x * p.x + p.y * p.y
}
fn main() {}
