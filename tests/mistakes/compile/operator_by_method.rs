//! An operator as the method of its trait.

#![allow(unused)]

use gpuvm::prelude::*;

use std::ops::Add;

#[derive(VmType, Clone, Copy)]
struct V(f32);

#[routine]
impl Add for V {
    type Output = V;
    fn add(self, o: V) -> V {
        V(self.0 + o.0)
    }
}

#[derive(VmType, Clone, Copy)]
struct W(f32);

impl W {
    fn add(self, o: W) -> W {
        W(self.0 + o.0)
    }
}

#[routine]
fn right(a: V, b: V) -> V {
    a.add(b)
}

#[routine]
fn of_a_reference(a: V, b: V) -> V {
    a.add(&b)
//~ «&b» mismatched types … expected `V`, found `&V`
}

#[routine]
fn of_no_routine(a: W, b: W) -> W {
    a.add(b)
//~ «add» this method of `W` is not a #[routine]
}

fn main() {}
