//! A type that holds references and does not derive `VmType`, used everywhere.

#![allow(unused)]

use gpuvm::prelude::*;

#[derive(Clone, Copy)]
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
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    fn skip(mut self, n: usize) -> Self {
        self.at += n;
        self
    }
}

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a [u8],
    kind: u8,
}

struct Lexer<'a> {
    reader: Reader<'a>,
}

#[routine]
impl<'a> Iterator for Lexer<'a> {
//~ «Lexer» `Lexer` cannot be used inside a #[routine]; add `#[derive(VmType)]` to its definition
    type Item = Token<'a>;
    //~ «Token» `Token` cannot be used inside a #[routine]; add `#[derive(VmType)]` to its definition

    fn next(&mut self) -> Option<Token<'a>> {
        let text = &self.reader.rest()[..1];
        let kind = self.reader.next()?;
        Some(Token { text, kind })
    }
}

#[routine]
fn count(bytes: &[u8]) -> u32 {
    let reader = Reader::new(bytes).skip(1);
    let lexer = Lexer { reader };
    lexer.filter(|token| token.kind == b'x').map(|token| token.text.len() as u32).sum()
}

fn main() {}
