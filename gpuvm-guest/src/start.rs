//! How a guest begins: what a C library finds on its stack.

use std::collections::VecDeque;

use crate::program::{Machine, Program};

/// With what a guest begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// Which of the programs it runs.
    pub program: usize,
    /// Its arguments, the program's name first.
    pub arguments: Vec<Vec<u8>>,
    /// Its environment, `NAME=value` each.
    pub environment: Vec<Vec<u8>>,
    /// What it reads from its standard input.
    pub input: VecDeque<u8>,
    /// The random bytes that its C library finds, for its stack protector.
    pub random: [u8; 16],
}

impl Start {
    /// A guest of the first program, with these arguments, of which the first is the program's name.
    pub fn with<A: AsRef<[u8]>>(arguments: impl IntoIterator<Item = A>) -> Start {
        Start {
            arguments: arguments.into_iter().map(|each| each.as_ref().to_vec()).collect(),
            ..Start::default()
        }
    }

    /// The same with an input.
    pub fn reading(mut self, input: impl IntoIterator<Item = u8>) -> Start {
        self.input = input.into_iter().collect();
        self
    }
}

/// The bytes at the end of a stack that ends at `top`, the first of which is what the stack pointer points at.
///
/// Source: the System V ABI's "initial process stack"; the numbers are those of Linux's `auxvec.h`.
pub(crate) fn stack(program: &Program, start: &Start, top: u64) -> Vec<u8> {
    let word = if program.machine() == Machine::RiscV32 { 4 } else { 8 };
    let mut texts = Vec::new();
    let mut places = Vec::new();
    for text in start.arguments.iter().chain(&start.environment) {
        places.push(texts.len() as u64);
        texts.extend_from_slice(text);
        texts.push(0);
    }
    let random = texts.len() as u64;
    texts.extend_from_slice(&start.random);
    let texts_at = (top - texts.len() as u64) & !15;
    texts.resize((top - texts_at) as usize, 0);
    let (arguments, environment) = places.split_at(start.arguments.len());
    let mut words = vec![arguments.len() as u64];
    words.extend(arguments.iter().map(|place| texts_at + place));
    words.push(0);
    words.extend(environment.iter().map(|place| texts_at + place));
    words.push(0);
    let [headers, size, count] = program.headers();
    let name = arguments.first().map_or(texts_at + random, |place| texts_at + place);
    for (key, value) in [
        (3, headers),
        (4, size),
        (5, count),
        (6, u64::from(crate::image::GUEST_PAGE)),
        (7, 0), // no dynamic linker
        (8, 0),
        (9, program.entry()),
        (11, 1000),
        (12, 1000),
        (13, 1000),
        (14, 1000),
        (16, 0), // nothing beside the base
        (17, 100),
        (23, 0),
        (25, texts_at + random),
        (31, name),
        (0, 0),
    ] {
        words.extend([key, value]);
    }
    let size = words.len() as u64 * word;
    let at = (texts_at - size) & !15;
    let mut bytes: Vec<u8> = words
        .iter()
        .flat_map(|value| value.to_le_bytes()[..word as usize].to_vec())
        .collect();
    bytes.resize((texts_at - at) as usize, 0);
    bytes.extend(texts);
    bytes
}
