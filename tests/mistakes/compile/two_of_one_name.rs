//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
trait Pilot { fn fly(&self) -> u32; }
#[routine]
trait Wizard { fn fly(&self) -> u32; }
#[routine]
impl Pilot for u32 { fn fly(&self) -> u32 { *self } }
#[routine]
impl Wizard for u32 { fn fly(&self) -> u32 { *self + 1 } }
#[routine]
fn f(a: u32) -> u32 { a.fly() }
//~ «fly» multiple applicable items in scope
fn main() {}
