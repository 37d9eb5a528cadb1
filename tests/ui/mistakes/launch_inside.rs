//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn inner(x: f32) -> f32 { x }
#[routine]
fn outer(x: f32) -> f32 { let rt = Runtime::new().unwrap(); let v = [x]; inner::launch(&rt, &v).unwrap(); x }
//~ «inner» unresolved import `inner` … `inner` is a struct, not a module
//~ «Runtime» `gpuvm::Runtime` cannot be used inside a #[routine] … if `gpuvm::Runtime` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
//~ «Runtime» `gpuvm::Error` cannot be used inside a #[routine] … if `gpuvm::Error` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
//~ «Runtime» this method of `gpuvm::Runtime` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
fn main() {}
