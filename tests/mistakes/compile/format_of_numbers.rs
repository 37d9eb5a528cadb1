//! A way of std's to show a number, for a type of one's own.

#![allow(unused)]

use std::fmt;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Colour(u32);

#[routine]
impl fmt::LowerHex for Colour {
    //~ «fmt::LowerHex» a text in a routine shows values of one's own types by `{}` and `{:?}` … leave out this #[routine], and show the number inside
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}

#[routine]
fn red(colour: Colour) -> u32 {
    colour.0 >> 16
}

fn main() {}
