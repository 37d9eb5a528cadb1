//! #[routine] on a struct.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
struct Particle {
    mass: f32,
}

fn main() {}
