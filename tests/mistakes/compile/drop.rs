//! A `Drop`, which a routine would not call.

#![allow(unused)]

use std::cell::Cell;

use gpuvm::prelude::*;

#[derive(VmType)]
struct Guard<'a>(&'a Cell<u32>);
//~ «Guard» `Guard` has a `Drop`, or something in it has: routines call none, so take it away

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 10);
    }
}

#[routine]
fn guarded(x: u32) -> u32 {
    let count = Cell::new(x % 9);
    {
        let _guard = Guard(&count);
        count.set(count.get() * 2);
    }
    count.get()
}

fn main() {}
