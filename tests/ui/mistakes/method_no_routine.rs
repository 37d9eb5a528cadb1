//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct V { x: f32, y: f32 }
impl V { fn len2(&self) -> f32 { self.x * self.x + self.y * self.y } }
#[routine]
fn f(v: V) -> f32 { v.len2() }
fn main() {}
