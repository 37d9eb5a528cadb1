//! Types of std that have a heap, in a signature.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn list(v: Vec<u32>) -> u32 {
//~ «Vec<u32>» `Vec<u32>` cannot be a value of the machine … take a slice `&[T]`
    v[0]
}

#[routine]
fn text(s: String) -> u32 {
//~ «String» `String` cannot be a value of the machine
    s.len() as u32
}

#[routine]
fn borrowed(v: &Vec<u32>) -> u32 {
//~ «Vec<u32>» `Vec<u32>` cannot be a value of the machine
    v.iter().sum()
}

#[routine]
fn changed(v: &mut Vec<u32>) {
//~ «Vec<u32>» `Vec<u32>` cannot be a value of the machine
    v.push(1);
}

#[routine(callee)]
fn called(x: u32) -> Result<u32, String> {
//~ «String» `String` cannot be used inside a #[routine]
    Ok(x)
}

fn main() {}
