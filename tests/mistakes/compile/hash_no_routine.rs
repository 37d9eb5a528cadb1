//! A type whose `Hash` is the host's alone, and a slice that would have to become bytes first.

#![allow(unused)]

use std::hash::{Hash, Hasher};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Sum(u64);

#[routine]
impl Hasher for Sum {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 * 31 + u64::from(*byte);
        }
    }
}

#[derive(VmType, Clone, Copy)]
struct Id(u32);

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.0);
    }
}

#[routine]
fn of_type(a: u32) -> u64 {
    let mut sum = Sum(0);
    Id(a).hash(&mut sum);
//~ «hash» this method of `Id` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method
    sum.finish()
}

#[routine]
fn of_slice(list: &[u32]) -> u64 {
    let mut sum = Sum(0);
    list.hash(&mut sum);
//~ «hash» this method of `[u32]` is not a #[routine]
    sum.finish()
}

fn main() {}
