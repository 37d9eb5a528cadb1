//! How a kernel reaches its launch parameters: values, columns and the VM's own records.

use std::collections::BTreeSet;

use super::build::Builder;
use super::{Input, Then};
use crate::ir::{Inst, NONE, Word};
use crate::isa::{Op, space};
use crate::types::{Kind, TypeRef};

impl Builder<'_> {
    /// Fetches all launch parameters that the calls and what comes after them need.
    pub(super) fn fetch_all(&mut self) {
        let kernel = self.kernel;
        let mut needed: BTreeSet<usize> = kernel.count.param().into_iter().collect();
        let columns = kernel.stores.iter().map(|output| output.to);
        needed.extend(columns.filter(|&to| kernel.column(to).is_some()));
        match &kernel.then {
            Some(Then::Scan { prefix, chunks, .. }) => {
                needed.insert(prefix.to);
                needed.extend(chunks);
            }
            Some(Then::Handle {
                states,
                mail,
                handled,
                busy,
                ..
            }) => needed.extend([*states, *mail, *handled, *busy]),
            None
            | Some(
                Then::Reduce { .. } | Then::ReduceChunks { .. } | Then::ReduceSpans { .. } | Then::ReduceOwn { .. },
            ) => {}
        }
        kernel.walk_inputs(|input| {
            if let Input::Param(param) | Input::Element(param) | Input::Room(param) = input {
                needed.insert(*param);
            }
        });
        self.fetch(needed);
    }

    /// Fetches the words of launch parameters, each once.
    pub(super) fn fetch(&mut self, params: impl IntoIterator<Item = usize>) {
        for param in params {
            if !self.params.contains_key(&param) {
                let words = self.fetch_one(param);
                self.params.insert(param, words);
            }
        }
    }

    fn fetch_one(&mut self, number: usize) -> Vec<Word> {
        let param = self.kernel.params[number];
        if param.words() == 0 {
            return Vec::new();
        }
        let at = self.make(Op::Imm, memory(param));
        let offset = self.make(Op::Param, number as u32);
        if param.refs == 0 {
            return self.load(at, offset, param.words());
        }
        let mut words = vec![at, offset];
        if param.ty.kind == Kind::Slice {
            words.push(self.make(Op::ParamLen, number as u32));
        }
        words
    }

    /// The words of a launch parameter that was fetched.
    pub(super) fn fetched(&self, param: usize) -> &[Word] {
        self.params.get(&param).map_or(&[], Vec::as_slice)
    }

    /// The words of an element of a column.
    pub(super) fn load_element(&mut self, param: usize, index: Word) -> Vec<Word> {
        let words = self.kernel.column(param).map_or(0, |element| element.words);
        if words == 0 {
            return Vec::new();
        }
        let offset = self.place_of(param, index, words);
        self.load(self.fetched(param)[0], offset, words)
    }

    /// Stores an element of a column.
    pub(super) fn store_element(&mut self, param: usize, index: Word, value: &[Word]) {
        if !value.is_empty() {
            let offset = self.place_of(param, index, value.len() as u32);
            self.store(self.fetched(param)[0], offset, value);
        }
    }

    /// A reference to an element of a column.
    pub(super) fn reference_to(&mut self, param: usize, index: Word) -> Vec<Word> {
        let words = self.kernel.column(param).map_or(0, |element| element.words);
        let offset = self.place_of(param, index, words);
        vec![self.fetched(param)[0], offset]
    }

    /// Where an element of a column lies.
    fn place_of(&mut self, param: usize, index: Word, words: u32) -> Word {
        let scaled = match words {
            1 => index,
            _ => self.compute(Op::MulImm, &[index], words),
        };
        let start = self.fetched(param)[1];
        self.compute(Op::Add, &[start, scaled], 0)
    }

    /// Stores a value to the VM's own record.
    pub(super) fn store_record(&mut self, param: usize, value: &[Word]) {
        if !value.is_empty() {
            let at = self.make(Op::Imm, space::ARENA);
            let record = self.make(Op::Param, param as u32);
            self.store(at, record, value);
        }
    }

    pub(super) fn load(&mut self, at: Word, offset: Word, words: u32) -> Vec<Word> {
        let load = |word| self.compute(Op::Load, &[at, offset], word);
        (0..words).map(load).collect()
    }

    fn store(&mut self, at: Word, offset: Word, value: &[Word]) {
        for (i, &word) in value.iter().enumerate() {
            self.store_at(at, offset, i as u32, word);
        }
    }

    /// Stores a word so many words from an offset.
    pub(super) fn store_at(&mut self, at: Word, offset: Word, from: u32, word: Word) {
        self.push(Inst::new(Op::Store, NONE, &[word, at, offset], from, self.place));
    }
}

/// The space that a launch parameter lies in.
fn memory(param: TypeRef) -> u32 {
    let pointed_at = match param.ty.element {
        Some(element) if param.ty.kind == Kind::Slice => element.kind,
        _ => param.ty.kind,
    };
    match param.refs > 0 && pointed_at == Kind::Atomic {
        true => space::ATOMIC,
        false => space::ARENA,
    }
}
