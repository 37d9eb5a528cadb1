//! An adaptor of one's own, for any iterator.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Every<I> {
    inner: I,
    n: usize,
}

#[routine]
impl<I: Iterator> Iterator for Every<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let item = self.inner.next();
        for _ in 1..self.n {
            self.inner.next();
        }
        item
    }
}

fn main() {}
