//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn add<T>(a: T, b: T) -> T { a + b }
//~ «+» cannot add `T` to `T` … consider restricting type parameter `T` with trait `Add`
#[routine]
fn go(x: f32) -> f32 { add(x, x) }
fn main() {}
