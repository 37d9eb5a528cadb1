//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(x: u32) -> u32 {
    let t = x.min(3)
//~ «» expected `;`, found `t`
    t
}
fn main() {}
