//! A type whose `FromStr` is the host's alone.

#![allow(unused)]

use std::str::FromStr;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Port(u16);

impl FromStr for Port {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Port)
    }
}

#[routine]
fn port(a: u32) -> u16 {
    let text = if a == 0 { "80" } else { "443" };
    match text.parse::<Port>() {
//~ «parse» this method of `str` is not a #[routine] … put `#[routine]` above the `impl` block that defines the method
        Ok(port) => port.0,
        Err(_) => 0,
    }
}

fn main() {}
