//! Functions that hand a closure to each other in a circle.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn even(left: u32, found: &mut impl FnMut(u32)) {
    if left > 0 {
        odd(left - 1, found);
    }
}

#[routine]
fn odd(left: u32, found: &mut impl FnMut(u32)) {
    found(left);
    if left > 0 {
        even(left - 1, found);
        //~ «even» call each other in a circle … make one function of them, which may call itself
    }
}

#[routine]
fn walk_in_a_circle(left: u32) -> u32 {
    let mut sum = 0;
    even(left, &mut |left| sum += left);
    sum
}

fn main() {}
