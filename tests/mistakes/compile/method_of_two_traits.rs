//! A method that two traits have.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
trait A {
    fn size(&self) -> u32;
}

#[routine]
trait B {
    fn size(&self) -> u32;
}

#[derive(VmType, Clone, Copy)]
struct S(u32);

#[routine]
impl A for S {
    fn size(&self) -> u32 {
        1
    }
}

#[routine]
impl B for S {
    fn size(&self) -> u32 {
        2
    }
}

#[routine]
fn by_method(s: S) -> u32 {
    s.size()
//~ «size» multiple applicable items in scope
}

#[routine]
fn by_method_of_a_value(x: u32) -> u32 {
    S(x).size()
//~ «size» multiple applicable items in scope
}

#[routine]
fn by_method_of_a_parameter<T: A + B>(s: T) -> u32 {
    s.size()
//~ «size» multiple applicable items in scope
}

#[routine]
fn by_path(s: S) -> u32 {
    S::size(&s)
//~ «size» multiple applicable items in scope
}

fn main() {}
