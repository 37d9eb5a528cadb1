//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn a(x: f32) -> f32 { let mut v = Vec::new(); v.push(x); v[0] }
//~ «Vec» `Vec<_>` cannot be used inside a #[routine] … if `Vec<_>` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
#[routine]
fn b(x: f32) -> f32 { let b = Box::new(x); *b }
//~ «Box» `Box<f32>` cannot be used inside a #[routine] … if `Box<f32>` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
mod rand { pub fn random() -> f32 { 1.0 } }
#[routine]
fn c(x: f32) -> f32 { x + rand::random() }
//~ «rand» `fn() -> f32 {rand::random}` is not a routine, and only routines can be called inside a #[routine] … put `#[routine]` above the `fn` that is called here
fn main(){}
