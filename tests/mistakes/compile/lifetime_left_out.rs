//! A type that holds references, without its lifetime, in a routine that could be launched. Where it is defined in sight it is no mistake any more.

#![allow(unused)]

use gpuvm::prelude::*;

use std::iter::Peekable;
use std::str::Bytes;

#[derive(VmType, Clone, Copy)]
struct View<'a> {
    x: &'a [f32],
}

#[routine]
fn left_out(v: View) -> f32 {
    v.x[0]
}

#[routine]
fn written(v: View<'_>) -> f32 {
    v.x[0]
}

#[routine]
fn number(bytes: &mut Peekable<Bytes>) -> u32 {
    0
}

#[routine]
fn number_with_lifetime(bytes: &mut Peekable<Bytes<'_>>) -> u32 {
    let mut n = 0;
    while let Some(b) = bytes.peek() {
        if !b.is_ascii_digit() {
            break;
        }
        n = n * 10 + (b - b'0') as u32;
        bytes.next();
    }
    n
}

macro_rules! table {
    ($name:ident) => {
        #[derive(VmType, Clone, Copy)]
        struct $name<'a> {
            x: &'a [f32],
        }
    };
}
table!(Table);

#[routine]
fn out_of_sight(t: Table) -> f32 {
//~ «Table» `Table<'_>` cannot be a value of the machine … what holds references is no value of a launch: with its lifetime in the signature
    t.x[0]
}

#[routine]
fn caller(x: u32) -> u32 {
    let mut bytes = "12+3".bytes().peekable();
    number_with_lifetime(&mut bytes) + number(&mut bytes) + (left_out(View { x: &[1.0] }) + written(View { x: &[1.0] })) as u32
}

fn main() {}
