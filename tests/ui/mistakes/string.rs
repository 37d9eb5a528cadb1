//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn name(x: u32) -> u32 {
    let label = x.to_string();
    label.len() as u32
}
fn main() {}
