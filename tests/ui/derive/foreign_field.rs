//! A field of a type that the machine does not have.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Named {
//~ «Named» the trait `std::marker::Copy` cannot be implemented for this type
    name: String,
//~ «String» `String` cannot be a value of the machine … if `String` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there: write an array `[T; N]`, or take a slice `&[T]`
}

fn main() {}
