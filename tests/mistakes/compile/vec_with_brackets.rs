//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn a(x: f32) -> f32 { let mut v = Vec<T>::new(); v.push(x); v[0] }
//~ «<» comparison operators cannot be chained
fn main(){}
