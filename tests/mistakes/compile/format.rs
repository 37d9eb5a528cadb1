//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(x: f32) -> f32 { let s = format!("{x}"); dbg!(x); let b = Box::new(x); *b + rand::random::<f32>() }
//~ «format» `format!` makes a string, and a routine has no heap; show its values by `println!` or a panic
fn main() {}
