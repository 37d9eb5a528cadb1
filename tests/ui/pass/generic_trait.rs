//! A #[routine] trait with a type parameter.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
trait Combine<T> {
    fn combine(&self, other: T) -> f32;
}

fn main() {}
