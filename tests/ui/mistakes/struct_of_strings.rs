//! A mistake of first contact.

#![allow(unused)]

use gpuvm::prelude::*;
#[derive(VmType, Clone, Copy)]
struct P { v: Vec3 }
#[derive(Clone, Copy)]
struct Vec3 { x: f32 }
#[derive(VmType, Clone, Copy)]
struct Q<T> { x: T }
#[derive(VmType, Clone, Copy)]
struct N { name: &'static str, big: Vec<f32>, d: f64 }
fn main(){}
