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

#[derive(VmType, Clone, Copy)]
struct Point(i32, i32);

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::LowerHex for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// Its `Debug` is no routine because that of a field is none.
#[derive(VmType, Clone, Copy, Debug)]
struct Holder {
    point: Point,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[routine]
fn quoted(x: i32) -> u32 {
    let mut length = Length::default();
    let _ = write!(length, "{:?}", Point(x, x));
//~ «write» a text that a #[routine] writes cannot show `Point` by `{:?}` … write `#[derive(Debug)]` beside its `#[derive(VmType)]`, or put `#[routine]` above its `impl fmt::Debug`
    length.0
}

#[routine]
fn of_its_own(x: i32) -> u32 {
    let mut length = Length::default();
    let _ = write!(length, "{}", Point(x, x));
//~ «write» a text that a #[routine] writes cannot show `Point` by `{}` … put `#[routine]` above the `impl fmt::Display for Point`
    length.0
}

#[routine]
fn in_hex(x: i32) -> u32 {
    let mut length = Length::default();
    let _ = write!(length, "{:x}", Point(x, x));
//~ «write» a text that a #[routine] writes cannot show `Point` so … show numbers alone
    length.0
}

#[routine]
fn held(x: i32) -> u32 {
    let mut length = Length::default();
    let _ = write!(length, "{:?}", Holder { point: Point(x, x) });
//~ «write» a text that a #[routine] writes cannot show `Holder` by `{:?}`
    length.0
}

fn main() {}
