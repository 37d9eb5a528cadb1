//! A text that is written to what has a `fmt::Write` of the host's alone.

#![allow(unused)]

use std::fmt::{self, Write};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Default)]
struct Line {
    bytes: [u8; 16],
    used: usize,
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes[..text.len()].copy_from_slice(text.as_bytes());
        self.used = text.len();
        Ok(())
    }
}

#[routine]
fn write_number(x: u32) -> Line {
    let mut line = Line::default();
    let _ = write!(line, "{x}");
//~ «write» a text cannot be written to `Line` inside a #[routine] … put `#[routine]` above the `impl fmt::Write for Line`
    line
}

fn main() {}
