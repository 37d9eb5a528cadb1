//! What a text that is written does not show.

#![allow(unused)]

use std::fmt::{self, Write};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Default)]
struct Length(u32);

#[routine]
impl fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len() as u32;
        Ok(())
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Point(i32, i32);

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[routine]
fn quoted(x: i32) -> u32 {
    let mut length = Length::default();
    let _ = write!(length, "{:?}", Point(x, x));
//~ «write» a text that a #[routine] writes cannot show `Point` so … `{:?}` shows numbers, `bool`, `char` and text alone
    length.0
}

#[routine]
fn of_its_own(x: i32) -> u32 {
    let mut length = Length::default();
    let _ = write!(length, "{}", Point(x, x));
//~ «write» a text that a #[routine] writes cannot show `Point` so … put `#[routine]` above the `impl fmt::Display for Point`
    length.0
}

#[routine]
fn exponent(x: u32) -> u32 {
    let mut length = Length::default();
    let _ = write!(length, "{x:e}");
//~ «write» a text that a #[routine] writes cannot show `u32` so … `{:e}` floats
    length.0
}

fn main() {}
