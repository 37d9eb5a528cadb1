//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(data: &mut [f32], i: u32) { for v in data.iter_mut() { *v = 1.0; } data[i as usize] += 1.0; let first = &mut data[0]; *first = 3.0; }
#[routine]
fn g(a: &mut f32, all: &[f32]) { *a = all[0]; while true { break } }
fn h(x: u32) -> u32 { x }
#[routine]
fn k(x: u32) -> u32 { let f: fn(u32) -> u32 = h; f(x) }
//~ «fn(u32) -> u32» function pointers are not available in a routine; call a routine by its path
fn main() {}
