//! `log!` without its level.

#![allow(unused)]

use gpuvm::prelude::*;

#[routine]
fn f(x: u32) -> u32 {
    gpuvm::log!("x is {x}");
//~ «» unexpected end of macro invocation
//~ «"x is {x}"» `log!` begins with a level: `Level::Error`, `Warn`, `Info`, `Debug` or `Trace`
    x
}

fn main() {}
