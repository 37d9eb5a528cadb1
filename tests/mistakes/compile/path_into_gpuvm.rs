//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn add<T: VmType>(a: T, b: T) -> T where T: std::ops::Add<Output = T> { a + b }
#[routine]
fn go(x: f32) -> f32 { add(x, x) }
#[routine]
fn addv<T: gpuvm::gpuvm_core::types::Value + std::ops::Add<Output = T>>(a: T, b: T) -> T { a + b }
//~ «gpuvm_core» cannot find `gpuvm_core` in `gpuvm` … could not find `gpuvm_core` in `gpuvm`
fn main() {}
