//! A method that takes `self`, of a type and of references to it.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct V(u32);
#[routine]
trait Weigh { fn weigh(self) -> u32; }
#[routine]
impl Weigh for V { fn weigh(self) -> u32 { self.0 } }
#[routine]
impl Weigh for &V { fn weigh(self) -> u32 { self.0 + 1 } }
//~ «&» `weigh` takes `self`, and both `V` and `&V` have it: inside of routines a call would take that of `V` for either; let it take `&self`, or implement the trait for one of the two
#[routine]
fn f(v: V) -> u32 { let r = &v; r.weigh() }
fn main() {}
