//! A type that holds references, without `derive(VmType)`, and all that is done with it.

#![allow(unused)]

use gpuvm::prelude::*;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

#[routine]
impl<'a> Reader<'a> {
//~ «Reader» `Reader` cannot be used inside a #[routine]; add `#[derive(VmType)]` to its definition
    fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }
}

#[routine]
fn skip(reader: &mut Reader, n: u32) {
    for _ in 0..n {
        reader.next();
    }
}

#[routine]
fn total(bytes: &[u8]) -> u32 {
    let mut reader = Reader::new(bytes);
    skip(&mut reader, 1);
    let mut sum = 0;
    while let Some(byte) = reader.next() {
        sum += u32::from(byte);
    }
    sum + reader.rest().len() as u32
}

fn main() {}
