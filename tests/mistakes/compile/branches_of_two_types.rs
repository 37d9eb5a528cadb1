//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn g(x: f32, out: &mut f32) -> f32 { if x > 1.0 { return x } else { *out = 2.0 } }
//~ «*out = 2.0» mismatched types … expected `f32`, found `()`
#[routine]
fn h(a: [f32; 3], b: [f32; 3]) -> f32 { a.iter().zip(b.iter()).map(|(x, y)| x * y).sum::<f32>() }
#[routine]
fn i(xs: &[f32]) -> f32 { let m = xs.iter().cloned().fold(f32::MIN, f32::max); let n = xs.iter().max(); let l = xs.len() as f32; l.powi(2) }
//~ «max» the trait bound `f32: Ord` is not satisfied … the trait `Ord` is not implemented for `f32`
fn main(){}
