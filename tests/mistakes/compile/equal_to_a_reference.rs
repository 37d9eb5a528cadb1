//! A comparison with a reference beside that with a value, which is another one.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct W(u32);

#[routine]
impl PartialEq<W> for W {
    fn eq(&self, o: &W) -> bool {
        self.0 == o.0
    }
}

#[routine]
impl PartialEq<&W> for W {
    fn eq(&self, o: &&W) -> bool {
        self.0 == o.0
    }
}

#[derive(VmType, Clone, Copy, PartialEq)]
struct X(u32);

impl PartialEq<&X> for X {
    fn eq(&self, o: &&X) -> bool {
        self.0 % 2 == o.0 % 2
    }
}

#[routine]
fn f(a: W, b: W, x: X, y: X) -> bool {
    a == b && a == &b && x == y && &x == &y && x == &y
    //~ «=» this operator of `X` and `&X` is not a #[routine]
}

fn main() {}
