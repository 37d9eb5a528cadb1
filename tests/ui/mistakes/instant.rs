//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
use std::time::Instant;
#[routine]
fn t(x: f32) -> f32 { let s = Instant::now(); x + s.elapsed().as_secs_f32() }
fn main() {}
