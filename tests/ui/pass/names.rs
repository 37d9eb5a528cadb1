//! Routines named as macros, types or values of std, in modules and with raw names.

#![allow(unused)]

use gpuvm::prelude::*;

mod shapes {
    use gpuvm::prelude::*;

    #[routine]
    pub fn vec(x: f32) -> f32 {
        x + 1.0
    }

    #[routine(callee)]
    pub fn println(r#type: f32) -> f32 {
        vec(r#type) * 2.0
    }
}

use shapes::{println as show, vec};

#[routine]
fn r#match(runtime: f32) -> f32 {
    show(vec(runtime)) + self::shapes::vec(runtime)
}

fn main() {}
