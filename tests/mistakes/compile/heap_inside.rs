//! Types of std that have a heap, as parts of others in the signature of a launch.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn list(v: Option<Vec<u32>>) -> u32 {
//~ «Vec<u32>» `Vec<u32>` cannot be used inside a #[routine]
    0
}

#[routine]
fn texts(v: [String; 2]) -> u32 {
//~ «String» `String` cannot be used inside a #[routine]
    0
}

#[routine]
fn pair(v: (u32, Box<f32>)) -> u32 {
//~ «Box<f32>» `Box<f32>` cannot be used inside a #[routine]
    v.0
}

#[routine]
fn listed(x: u32) -> Option<Vec<u32>> {
//~ «Vec<u32>» `Vec<u32>` cannot be used inside a #[routine]
    None
}

fn main() {}
