//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
trait Score { fn score(&self) -> u32; fn double(&self) -> u32 { self.score() * 2 } }
impl Score for u32 { fn score(&self) -> u32 { *self } }
//~ «impl Score for u32» not all trait items implemented … put_routine_above_this_impl
#[routine]
fn f(a: u32) -> u32 { a.score() + a.double() }
fn main() {}
