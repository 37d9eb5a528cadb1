//! What is found behind a `Deref` that is the host's alone.

#![allow(unused)]

use std::ops::Deref;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Polygon {
    points: [u32; 4],
}

impl Deref for Polygon {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.points
    }
}

#[routine]
fn count(polygon: Polygon) -> usize {
    polygon.len()
//~ «len» what is called here is found behind the `Deref` of `Polygon`, which is not a #[routine] … put `#[routine]` above the `impl Deref for Polygon`
}

#[routine]
fn first(polygon: Polygon) -> u32 {
    polygon[0]
//~ «0» what is called here is found behind the `Deref` of `Polygon`, which is not a #[routine]
}

#[derive(VmType, Clone, Copy)]
struct Stack {
    items: [u32; 4],
    used: usize,
}

impl Stack {
    fn len(&self) -> usize {
        self.used
    }
}

#[routine]
impl Deref for Stack {
//~ «Stack» `len` of this type is no routine, so that routines would find what stands behind the `Deref` by that name … put `#[routine]` above the `impl` block that defines it
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.items
    }
}

fn main() {}
