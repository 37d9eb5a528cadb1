//! A type whose `Extend` is the host's alone.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Default)]
struct Sum(u32);

impl Extend<u32> for Sum {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, items: I) {
        for item in items {
            self.0 += item;
        }
    }
}

#[routine]
fn sum(a: u32) -> u32 {
    let mut sum = Sum::default();
    sum.extend(0..a);
//~ «extend» this method of `Sum` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method
    sum.0
}

fn main() {}
