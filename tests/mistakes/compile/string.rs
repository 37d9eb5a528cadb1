//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn name(x: u32) -> u32 {
    let label = x.to_string();
//~ «to_string» `u32` has no method `to_string` inside a #[routine]; write it as a #[routine] `fn` and call that
    label.len() as u32
}
fn main() {}
