//! What makes a `String` of text, and what is left out of its methods.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn made(word: &str) -> usize {
    let owned = word.to_string();
//~ «to_string» this method of `str` is not a #[routine] … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there
    1
}

#[routine]
fn formatted(word: &str) -> usize {
    format!("{word}!");
//~ «format» `format!` makes a string, and a routine has no heap; show its values by `println!` or a panic
    1
}

#[routine]
fn replaced(word: &str) -> usize {
    let other = word.replace("a", "b");
//~ «replace» this method of `str` is not a #[routine]
    1
}

#[routine]
fn added(word: &str) -> usize {
    (word + "!").len()
//~ «+» cannot add `&str` to `&str`
}

fn main() {}
