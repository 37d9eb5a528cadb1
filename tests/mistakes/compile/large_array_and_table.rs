//! A mistake of first contact that is none any more.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn big(x: u32) -> [u32; 1024] { [x; 1024] }
#[routine]
fn tbl(i: usize) -> u32 { const T: [u32; 4096] = [7; 4096]; T[i] }
fn main(){}
