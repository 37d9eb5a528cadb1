//! What is made on the heap and then used: one message in all.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn list(x: u32) -> usize {
    let mut list: Vec<u32> = Vec::new();
//~ «Vec<u32>» `Vec<u32>` cannot be used inside a #[routine] … write an array `[T; N]`, or take a slice `&[T]`
    list.push(1);
    list.len()
}

#[routine]
fn list_without_type(x: u32) -> usize {
    let mut list = Vec::new();
//~ «Vec» `Vec<_>` cannot be used inside a #[routine] … write an array `[T; N]`, or take a slice `&[T]`
    list.push(x);
    list.len()
}

#[routine]
fn list_by_macro(x: u32) -> u32 {
    let mut list = vec![1, 2, 3];
//~ «vec» `vec!` allocates, and a routine has no heap; write an array, `[value; N]`
    list.push(4);
    list[0] + list.len() as u32
}

#[routine]
fn text(x: u32) -> usize {
    let text = String::from("a");
//~ «String» `String` cannot be used inside a #[routine]
    text.len()
}

#[routine]
fn text_of_a_number(x: u32) -> usize {
    let text = x.to_string();
//~ «to_string» `u32` has no method `to_string` inside a #[routine]
    text.len()
}

#[routine]
fn text_by_macro(x: u32) -> usize {
    let text = format!("{x}");
//~ «format» `format!` makes a string, and a routine has no heap; show its values by `println!` or a panic
    text.len()
}

#[routine]
fn text_of_text(x: u32) -> usize {
    let text = "a".to_string();
//~ «to_string» this method of `str` is not a #[routine] … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there
    text.len()
}

#[routine]
fn owned(word: &str) -> usize {
    let mut text = word.to_owned();
//~ «to_owned» this method of `str` is not a #[routine] … what keeps values on the heap, as `Vec`, `Box`, `String` and `HashMap` do, cannot be there
    text.push_str("a");
    text.len()
}

#[routine]
fn upper(word: &str) -> usize {
    let text = word.to_uppercase();
//~ «to_uppercase» this method of `str` is not a #[routine]
    text.len()
}

#[routine]
fn copied(list: &[f32]) -> usize {
    list.to_vec().len()
//~ «to_vec» this method of `[f32]` is not a #[routine]
}

#[routine]
fn map(x: u32) -> u32 {
    let mut map = std::collections::HashMap::new();
//~ «std» `HashMap<_, _>` cannot be used inside a #[routine]
    map.insert(1u32, x);
    map[&1]
}

fn main() {}
