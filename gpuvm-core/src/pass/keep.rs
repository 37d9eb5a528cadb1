//! Variables in places of their own, for a debugger: each is stored to the frame when it is written and loaded from there when it is read, as compilers do that do not
//! optimise. So each keeps its value to the end of its scope, and what is set there is what the code goes on with.

use std::collections::BTreeMap;

use crate::ir::names::Part;
use crate::ir::{Function, Inst, NONE, Word};
use crate::isa::Op;
use crate::program::SourceLoc;

/// Where the words that are variables live.
struct Places {
    /// Those that a word is stored to.
    of: BTreeMap<Word, Vec<u32>>,
    /// Those that a word is loaded from: it alone is all of a part of a variable.
    alone: BTreeMap<Word, u32>,
}

/// Gives each word of a variable a place in the frame. Comes after all other passes.
pub(crate) fn keep_variables(function: &mut Function) {
    let places = Places::of(function);
    if places.of.is_empty() {
        return;
    }
    let params = function.params.clone();
    for b in 0..function.blocks.len() {
        let (old, place) = (std::mem::take(&mut function.blocks[b].code), function.blocks[b].place);
        let mut end = function.blocks[b].end.clone();
        let mut code = Vec::with_capacity(2 * old.len());
        if b == 0 {
            params.iter().for_each(|&param| places.store(param, place, &mut code));
        }
        for mut inst in old {
            let place = inst.place;
            for word in inst.uses_mut() {
                *word = places.load(*word, place, function, &mut code);
            }
            let defs: Vec<Word> = inst.defs().collect();
            code.push(inst);
            defs.iter().for_each(|&def| places.store(def, place, &mut code));
        }
        for word in end.uses_mut() {
            *word = places.load(*word, place, function, &mut code);
        }
        (function.blocks[b].code, function.blocks[b].end) = (code, end);
    }
}

impl Places {
    /// Takes places in the frame, one for each part that is in a word.
    fn of(function: &mut Function) -> Places {
        let mut words_of: BTreeMap<Part, Vec<Word>> = BTreeMap::new();
        for word in 0..function.words {
            for part in function.names.word(word) {
                words_of.entry(part).or_default().push(word);
            }
        }
        let mut places = Places {
            of: BTreeMap::new(),
            alone: BTreeMap::new(),
        };
        for (part, words) in words_of {
            let offset = function.frame_words;
            function.frame_words += 1;
            function.names.place(offset, part);
            for &word in &words {
                places.of.entry(word).or_default().push(offset);
            }
            if let &[word] = &words[..]
                && function.names.word(word).count() == 1
            {
                places.alone.insert(word, offset);
            }
        }
        places
    }

    /// Stores a word that was written.
    fn store(&self, word: Word, place: SourceLoc, code: &mut Vec<Inst>) {
        for &offset in self.of.get(&word).into_iter().flatten() {
            code.push(Inst::new(Op::StoreFrame, NONE, &[word], offset, place));
        }
    }

    /// The word to read in place of one.
    fn load(&self, word: Word, place: SourceLoc, function: &mut Function, code: &mut Vec<Inst>) -> Word {
        let Some(&offset) = self.alone.get(&word) else {
            return word;
        };
        let loaded = function.new_word();
        code.push(Inst::new(Op::LoadFrame, loaded, &[], offset, place));
        loaded
    }
}
