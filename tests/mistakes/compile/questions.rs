//! What VMs ask the host, asked wrongly.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn unknown_answer(x: u32) -> u32 {
    let answer = vm::ask(x);
//~ «answer» type annotations needed
    0
}

#[routine]
fn a_reference(list: &[u32]) -> u32 {
    vm::ask(&list[0])
//~ «&list[0]» a question is a value, and this is a reference
}

#[routine]
fn a_slice(list: &[u32]) -> u32 {
    vm::ask(list)
//~ «list» `&[u32]` cannot be a value of the machine
}

#[routine]
fn another_answer(x: u32) -> u32 {
    vm::ask::<u32, f32>(x)
//~ «vm::ask::<u32, f32>(x)» mismatched types … expected `u32`, found `f32`
}

#[routine]
fn two_questions(x: u32) -> u32 {
    vm::ask(x, 2)
//~ «vm::ask(x, 2)» takes one question … `vm::ask((a, b))`
}

fn main() {}
