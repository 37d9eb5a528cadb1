//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
mod physics { pub fn f() {} }
#[routine]
//~ «#[routine]» the name `physics` is defined multiple times … `physics` redefined here
fn physics(x: f32) -> f32 { x }
//~ «physics» expected type, found module `physics` … not a type
fn main() {}
