//! A mistake of first contact.

#![allow(unused)]

#[routine]
fn bump(x: &mut f32) { *x += 1.0; }
fn main() {}
