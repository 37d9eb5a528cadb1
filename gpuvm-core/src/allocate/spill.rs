//! Rewrites a function so that spilled words live in the frame: each instruction fetches what it reads and puts back what it
//! writes through words of its own. What one instruction without inputs makes is made again instead.

use std::collections::BTreeMap;

use super::variables::rehome;
use crate::ir::definitions::Definitions;
use crate::ir::names::Mark;
use crate::ir::{Block, Function, Inst, NONE, Word};
use crate::isa::Op;
use crate::program::Home;

/// Spills the words that have a number; words with the same number share a word of the frame.
pub(crate) fn spill(function: &mut Function, places: &[Option<u32>]) {
    let mut spill = Spill {
        remade: remade(function, places),
        places,
        frame: function.frame_words,
    };
    let needed = |word: usize| places[word].filter(|_| spill.remade[word].is_none());
    let last = (0..places.len()).filter_map(needed).max();
    function.frame_words += last.map_or(0, |last| last + 1);
    // Once nobody reads a word any more, its place in the frame may be another one's.
    rehome(function, |word, alive| match places.get(word as usize) {
        Some(Some(_)) if !alive && spill.remade[word as usize].is_none() => Home::Nowhere,
        _ => Home::Word(word),
    });
    for b in 0..function.blocks.len() {
        spill.block(function, b);
    }
}

struct Spill<'a> {
    /// The instruction that makes a word anew wherever it is needed.
    remade: Vec<Option<Inst>>,
    places: &'a [Option<u32>],
    /// Where the places start in the frame.
    frame: u32,
}

impl Spill<'_> {
    fn place(&self, word: Word) -> Option<u32> {
        self.places
            .get(word as usize)
            .copied()
            .flatten()
            .map(|place| self.frame + place)
    }

    fn block(&mut self, function: &mut Function, b: usize) {
        for mark in &mut function.blocks[b].marks {
            mark.home = self.home(mark.home);
        }
        let code = std::mem::take(&mut function.blocks[b].code);
        let mut out = Vec::with_capacity(code.len() * 2);
        for inst in code {
            self.inst(function, b, inst, &mut out);
        }
        let mut end = function.blocks[b].end.clone();
        let place = function.blocks[b].place;
        self.fetch(function, end.uses_mut(), place, &mut out);
        let block = &mut function.blocks[b];
        block.end = end;
        block.code = out;
    }

    fn inst(&mut self, function: &mut Function, b: usize, mut inst: Inst, out: &mut Vec<Inst>) {
        let mut marks = std::mem::take(&mut inst.marks);
        for mark in &mut marks {
            mark.home = self.home(mark.home);
        }
        if self.remade.get(inst.defs[0] as usize).is_some_and(Option::is_some) {
            let home = self.home(Home::Word(inst.defs[0]));
            marks.splice(0..0, function.names.marks(inst.defs[0], home));
            return say(out, &mut function.blocks[b], marks);
        }
        // A copy to or from the frame is the access itself.
        if let Some((to, from)) = inst.as_copy() {
            match (self.place(to), self.place(from)) {
                (Some(a), Some(same)) if a == same && self.remade[from as usize].is_none() => {
                    marks.splice(0..0, function.names.marks(to, Home::Frame(a)));
                    return say(out, &mut function.blocks[b], marks);
                }
                (Some(offset), None) => {
                    out.push(Inst::new(Op::StoreFrame, NONE, &[from], offset, inst.place));
                    marks.splice(0..0, function.names.marks(to, Home::Frame(offset)));
                    return say(out, &mut function.blocks[b], marks);
                }
                (None, Some(_)) => {
                    out.push(self.get(from, to, inst.place));
                    return say(out, &mut function.blocks[b], marks);
                }
                _ => {}
            }
        }
        let place = inst.place;
        self.fetch(function, inst.uses_mut(), place, out);
        let mut stores = Vec::new();
        for word in inst.defs_mut() {
            if let Some(offset) = self.place(*word) {
                let mut store = Inst::new(Op::StoreFrame, NONE, &[function.new_word()], offset, place);
                store.mark(function.names.marks(*word, Home::Frame(offset)));
                *word = store.uses[0];
                stores.push(store);
            }
        }
        out.push(inst);
        out.extend(stores);
        say(out, &mut function.blocks[b], marks);
    }

    /// Where what is in a home is after spilling.
    fn home(&self, home: Home) -> Home {
        let Home::Word(word) = home else {
            return home;
        };
        match (self.remade.get(word as usize), self.place(word)) {
            (Some(Some(inst)), _) if inst.op == Op::Imm => Home::Constant(inst.imm),
            (Some(Some(_)), _) => Home::Nowhere,
            (_, Some(offset)) => Home::Frame(offset),
            (_, None) => home,
        }
    }

    /// Fetches the spilled ones among the words an instruction reads, each once.
    fn fetch<'w>(
        &self,
        function: &mut Function,
        words: impl Iterator<Item = &'w mut Word>,
        place: crate::program::SourceLoc,
        out: &mut Vec<Inst>,
    ) {
        let mut fetched = BTreeMap::new();
        for word in words.filter(|word| self.place(**word).is_some()) {
            *word = *fetched.entry(*word).or_insert_with(|| {
                let copy = function.new_word();
                out.push(self.get(*word, copy, place));
                copy
            });
        }
    }

    /// The instruction that brings a spilled word to `to`.
    fn get(&self, word: Word, to: Word, place: crate::program::SourceLoc) -> Inst {
        match &self.remade[word as usize] {
            Some(inst) => Inst {
                defs: [to, NONE],
                place,
                marks: Vec::new(),
                ..inst.clone()
            },
            None => Inst::new(Op::LoadFrame, to, &[], self.place(word).unwrap_or(0), place),
        }
    }
}

/// Marks the last of the instructions, or the start of the block that they are of.
fn say(out: &mut [Inst], block: &mut Block, marks: Vec<Mark>) {
    match out.last_mut() {
        Some(last) => last.mark(marks),
        None => block.marks.extend(marks),
    }
}

/// For each spilled word that one instruction without inputs makes, that instruction.
fn remade(function: &Function, places: &[Option<u32>]) -> Vec<Option<Inst>> {
    let definitions = Definitions::of(function);
    let remake = |(word, place): (usize, &Option<u32>)| {
        place
            .and_then(|_| definitions.only(function, word as Word))
            .filter(|inst| {
                let source = matches!(
                    inst.op,
                    Op::Imm | Op::Param | Op::ParamLen | Op::VmId | Op::VmCount | Op::Address
                );
                source && inst.defs[1] == NONE
            })
    };
    places.iter().enumerate().map(|each| remake(each).cloned()).collect()
}
