//! A hand-written `Clone` of a type with type parameters.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType)]
struct Pair<T>(T, T);

impl<T: VmType> Copy for Pair<T> {}

#[routine]
impl<T: VmType> Clone for Pair<T> {
    fn clone(&self) -> Pair<T> {
        Pair(self.0, self.1)
    }
}

fn main() {}
