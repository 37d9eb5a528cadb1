//! A trap record has room for one number of 128 bits.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn compared(a: u128, b: i128) -> u128 {
    assert_eq!(a, 3, "not three");
//~ «a» the text of a panic shows one number of 128 bits, and nothing beside it … has no room beside another value
    assert!(b > 0, "{b} and {}", a as u32);
//~ «"{b} and {}"» the text of a panic shows one number of 128 bits, and nothing beside it … has no room beside another value
    assert!(b > 0, "{b}");
    a
}

fn main() {}
