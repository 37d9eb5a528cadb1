//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct V { x: f32, y: f32 }
impl std::ops::Add for V { type Output = V; fn add(self, o: V) -> V { V { x: self.x + o.x, y: self.y + o.y } } }
#[routine]
fn f(v: V, w: V) -> V { v + w }
//~ «+» this operator of `V` and `V` is not a #[routine] … put `#[routine]` above the `impl` of the operator's trait
fn main() {}
