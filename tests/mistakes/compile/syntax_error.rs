//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(x: f32) -> f32 {
    let y = x * ;
//~ «;» expected expression, found `;` … expected expression
    y
}
fn main() {}
