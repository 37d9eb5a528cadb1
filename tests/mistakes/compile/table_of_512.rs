//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
const T: [u32; 512] = [7; 512];
#[routine]
fn tbl(i: usize) -> u32 { T[i] }
fn main(){}
