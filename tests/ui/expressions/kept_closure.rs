//! Closures that would be parts of values.

use gpuvm::prelude::*;

#[routine]
fn f(x: f32, n: u32) -> f32 {
    let twice = |y: f32| y * 2.0;
    let both = (twice, n);
    let list = [twice, twice];
    let maybe = Some(|y: f32| y + 1.0);
    x
}

fn main() {}
