//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[routine]
fn inner(x: f32) -> f32 { x }
#[routine]
fn outer(x: f32) -> f32 { let rt = Runtime::new().unwrap(); let v = [x]; inner::launch(&rt, &v).unwrap(); x }
//~ «inner::launch» a routine cannot launch another one; call that by its name, as a function, and launch this one from outside
#[routine]
fn given(rt: &Runtime, x: f32) -> f32 { inner::launch(rt, &[x]).unwrap(); x }
//~ «inner::launch» a routine cannot launch another one; call that by its name, as a function, and launch this one from outside
fn main() {}
