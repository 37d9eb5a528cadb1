//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
use std::collections::HashMap;
#[routine]
fn look(x: u32) -> u32 { let mut m = HashMap::new(); m.insert(x, 1); m[&x] }
fn main() {}
