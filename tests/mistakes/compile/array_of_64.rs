//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn tbl(i: usize) -> u32 { let a = [i as u32; 64]; let mut s = 0; for k in 0..64 { s += a[k]; } s }
fn main(){}
