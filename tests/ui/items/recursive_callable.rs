//! Routines that are given closures and call themselves with other ones.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn adaptive(f: impl Fn(f32) -> f32, from: f32, to: f32, depth: u32) -> f32 {
    let middle = f32::midpoint(from, to);
    if depth == 0 {
        return f(middle) * (to - from);
    }
    adaptive(&f, from, middle, depth - 1) + adaptive(&f, middle, to, depth - 1)
}

#[derive(VmType, Clone, Copy)]
struct Walk {
    left: u32,
}

#[routine]
impl Walk {
    fn visit(&mut self, found: &mut impl FnMut(u32)) {
        if self.left > 0 {
            found(self.left);
            self.left -= 1;
            self.visit(&mut |left| found(left + 1));
        }
    }
}

fn main() {}
