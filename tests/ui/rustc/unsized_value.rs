//! Values without a size: slices and texts that are no references, and a trait's `self`.

use gpuvm::prelude::*;

#[routine]
fn total(all: [f32], n: u32) -> f32 {
//~ «[f32]» the size for values of type `[f32]` cannot be known … fn total(all: &[f32], n: u32)
    let mut sum = 0.0;
    for i in 0..n as usize {
        sum += all[i];
    }
    sum
}

#[routine]
fn length(text: str) -> u32 {
//~ «str» the size for values of type `str` cannot be known … fn length(text: &str)
    text.len() as u32
}

#[routine]
trait Doubled {
    fn doubled(self) -> f32 {
//~ «self» the size for values of type `Self` cannot be known … where Self: Sized
        2.0
    }
}

#[routine]
impl Doubled for f32 {}

fn main() {}
