//! A mistake of first contact that is none any more.

#![forbid(unsafe_code)]
#![no_std]
use gpuvm::prelude::*;
#[routine]
pub fn double(x: f32) -> f32 { x * 2.0 }
