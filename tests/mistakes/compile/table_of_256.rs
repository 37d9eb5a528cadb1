//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
const T: [u32; 256] = [7; 256];
#[routine]
fn tbl(i: usize) -> u32 { T[i] }
fn main(){}
