//! Methods of the user's that are named as std's float methods.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Angle(f32);

#[routine]
impl Angle {
    fn sin(&self) -> f32 {
        self.0.sin()
    }

    fn max(self, other: Angle) -> Angle {
        if self.0 > other.0 { self } else { other }
    }
}

#[routine]
fn f(a: f32, b: f32) -> f32 {
    let angle = Angle(a).max(Angle(b));
    angle.sin().max(a).min(b)
}

fn main() {}
