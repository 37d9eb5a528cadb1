//! Mistakes in a crate that has gpuvm as `machine`.

#![allow(unused)]

use machine::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Ball {
    size: f32,
}

impl Ball {
    fn volume(&self) -> f32 {
        self.size * self.size * self.size
    }
}

fn plain(x: f32) -> f32 {
    x
}

#[routine]
fn of_no_routine(ball: Ball) -> f32 {
    ball.volume()
//~ «volume» this method of `Ball` is not a #[routine]
}

#[routine]
fn calls_no_routine(x: f32) -> f32 {
    plain(x) + x.sin()
//~ «plain» is not a routine
}

#[routine]
fn on_the_heap(x: u32) -> u32 {
    let list: Vec<u32> = Vec::new();
//~ «Vec<u32>» `Vec<u32>` cannot be used inside a #[routine]
    x
}

#[routine]
fn power(x: f32) -> f32 {
    x.pow(2)
//~ «pow» no method named `pow` found for struct `MethodsOf<'_, f32>`
}

fn main() {}
