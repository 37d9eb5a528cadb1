//! The data of a program: constants too long for words, which all VMs read where they are.

use std::ops::Range;

use crate::isa::space;
use crate::routine::{Constant, Routine};
use crate::types::ConstantWord;

/// The most words of data: what devices give one binding of a buffer.
pub(crate) const MOST_DATA: u64 = 1 << 25;

/// The data of a program that is being linked.
#[derive(Debug, Default)]
pub(crate) struct Data {
    /// The words of all constants in it.
    pub words: Vec<u32>,
    /// Which of them each constant has.
    places: Vec<Range<usize>>,
}

impl Data {
    /// That of a program which has these words before its own.
    pub fn behind(words: Vec<u32>) -> Data {
        Data {
            words,
            places: Vec::new(),
        }
    }

    /// The words that a constant's instructions set.
    pub fn words_of(&mut self, routine: &Routine, constant: &Constant) -> Vec<u32> {
        let words = self.resolved(constant.words.fetch(routine));
        match constant.in_data {
            true => vec![space::DATA, self.place(words)],
            false => words,
        }
    }

    /// The words, where what they lead to has its place.
    fn resolved(&mut self, words: Vec<ConstantWord>) -> Vec<u32> {
        let words = words.into_iter().map(|word| match word {
            ConstantWord::Value(value) => value,
            ConstantWord::Data(words) => {
                let words = self.resolved(words);
                self.place(words)
            }
        });
        words.collect()
    }

    /// Where these words begin; equal ones are there once.
    fn place(&mut self, words: Vec<u32>) -> u32 {
        let mut places = self.places.iter();
        if let Some(known) = places.find(|place| self.words[(*place).clone()] == *words) {
            return known.start as u32;
        }
        let start = self.words.len();
        self.words.extend(words);
        self.places.push(start..self.words.len());
        start as u32
    }
}
