//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn m(x: u32) -> u32 {
    let mut a = [3u32, 1, 2];
    a.swap(0, 1);
    a.sort();
    a.fill(x);
    if a.contains(&x) { return *a.first().unwrap(); }
    *a.get(1).unwrap()
}
fn main() {}
