//! A mistake of first contact.

#![allow(unused)]

#[routine]
//~ «routine» cannot find attribute `routine` in this scope
fn bump(x: &mut f32) { *x += 1.0; }
fn main() {}
