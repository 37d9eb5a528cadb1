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
//~ «&list[0]» `&u32` cannot be a value of the machine
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
//~ «vm::ask» takes 1 argument but 2 arguments were supplied
}

fn main() {}
