//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn a(x: f32) -> f32 { let mut v = Vec::new(); v.push(x); v[0] }
#[routine]
fn b(x: f32) -> f32 { let b = Box::new(x); *b }
mod rand { pub fn random() -> f32 { 1.0 } }
#[routine]
fn c(x: f32) -> f32 { x + rand::random() }
fn main(){}
