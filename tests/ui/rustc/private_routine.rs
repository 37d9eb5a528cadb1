//! Routines that their module keeps for itself.

#![allow(unused)]

use gpuvm::prelude::*;

mod shapes {
    use gpuvm::prelude::*;

    #[routine]
    fn area(side: f32) -> f32 {
        side * side
    }

    #[routine]
    pub fn length<T: Copy>(side: T) -> T {
        side
    }

    pub fn width(side: f32) -> f32 {
        side
    }
}

#[routine]
fn f(x: f32) -> f32 {
    shapes::length(x) + shapes::area(x)
//~ «area» function `area` is private … private function
}

#[routine]
fn g(x: f32) -> f32 {
    shapes::width(x)
//~ «shapes» `fn(f32) -> f32 {shapes::width}` is not a routine, and only routines can be called inside a #[routine] … put `#[routine]` above the `fn` that is called here
}

fn main() {}
