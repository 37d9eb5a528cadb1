//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn f(mode: &str) -> u32 { match mode { "a" => 1, _ => 2 } }
//~ «str» `str` is not a type of the machine; a routine has no strings; texts occur only in `panic!` and `assert!`
//~ «"a"» only numbers and `bool` can be compared with in a pattern
fn main() {}
