//! A column of numbers for a parameter of a type of the user's.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Ball {
    y: f32,
}

#[routine]
fn height(ball: Ball) -> f32 {
    ball.y
}

#[routine]
fn fall(ball: &mut Ball) {
    ball.y -= 1.0;
}

fn main() -> gpuvm::Result<()> {
    let rt = Runtime::new()?;
    let mut v: Vec<f32> = vec![1.0, 2.0, 3.0];
    let out: Vec<f32> = height::launch(&rt, &v)?.output()?;
//~ «&v» `&Vec<f32>` does not fit this parameter of the routine … expected a column `&[Ball]`, `&Vec<Ball>` or `&Buffer<Ball>`, or one `Ball` for all VMs
    fall::launch(&rt, &mut v)?;
//~ «&mut v» `&mut Vec<f32>` does not fit this parameter of the routine … expected `&mut [Ball]`, `&mut Vec<Ball>` or `&Buffer<Ball>`
    Ok(())
}
