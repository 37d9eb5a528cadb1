//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn inner(x: f32) -> f32 { x }
#[routine]
fn outer(x: f32) -> f32 { let rt = Runtime::new().unwrap(); let v = [x]; inner::launch(&rt, &v).unwrap(); x }
fn main() {}
