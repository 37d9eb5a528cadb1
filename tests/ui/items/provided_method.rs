//! A method that a #[routine] trait provides, with a mistake in it: the impls and callers show none.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
trait Area {
    fn area(&self) -> f32;

    fn doubled(&self) -> f32 {
        unsafe { self.area() * 2.0 }
    }
}

#[derive(VmType, Clone, Copy)]
struct Square(f32);

#[routine]
impl Area for Square {
    fn area(&self) -> f32 {
        self.0 * self.0
    }
}

#[routine]
fn both<A: Area>(shape: A) -> f32 {
    shape.doubled() + Square(1.0).doubled()
}

fn main() {}
