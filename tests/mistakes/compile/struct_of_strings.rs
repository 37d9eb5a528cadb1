//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct P { v: Vec3 }
//~ «Vec3» `Vec3` cannot be a value of the machine … if `Vec3` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
#[derive(Clone, Copy)]
struct Vec3 { x: f32 }
#[derive(VmType, Clone, Copy)]
struct Q<T> { x: T }
#[derive(VmType, Clone, Copy)]
struct N { name: &'static str, big: Vec<f32>, d: f64 }
//~ «Vec<f32>» `Vec<f32>` cannot be used inside a #[routine] … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there
//~ «N» the trait `std::marker::Copy` cannot be implemented for this type
fn main(){}
