//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType)]
struct Point { x: f32, y: f32 }
//~ «Point» the trait bound `Point: std::marker::Copy` is not satisfied … the trait `std::marker::Copy` is not implemented for `Point`
#[routine]
fn len(p: Point) -> f32 {
    p.x * p.x + p.y * p.y
}
fn main() {}
