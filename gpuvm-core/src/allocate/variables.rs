//! Says where variables are in the machine's words and in the frame, once every word has its colour.

use crate::ir::liveness::Liveness;
use crate::ir::names::Mark;
use crate::ir::{Block, Function, Inst, OUTGOING, Word};
use crate::isa::Op;
use crate::program::Home;

/// Gives every instruction marks for the variables that it writes, and the marks it has already their final homes. The words of the
/// code still are the function's.
pub(super) fn name_homes(function: &mut Function, colours: &[u8]) {
    mark_copies(function, colours);
    follow_marks(function, colours);
    let names = &function.names;
    for inst in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
        let mut own: Vec<Mark> = Vec::new();
        for word in inst.defs().filter(|_| !is_idle(inst, colours)) {
            own.extend(names.marks(word, Home::Word(colours[word as usize].into())));
        }
        if inst.op == Op::StoreFrame && inst.extra != OUTGOING {
            let home = Home::Frame(inst.imm);
            own.extend(names.frame(inst.imm).map(|part| Mark { part, home }));
        }
        if !own.is_empty() {
            let later = std::mem::take(&mut inst.marks);
            inst.mark(own);
            inst.mark(later);
        }
    }
}

/// Whether an instruction copies a word to itself, so that it goes.
fn is_idle(inst: &Inst, colours: &[u8]) -> bool {
    inst.as_copy()
        .is_some_and(|(to, from)| colours[to as usize] == colours[from as usize])
}

/// Copies that go leave marks, which have to be followed.
fn mark_copies(function: &mut Function, colours: &[u8]) {
    let names = &function.names;
    for inst in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
        if is_idle(inst, colours) {
            let (to, later) = (inst.defs[0], std::mem::take(&mut inst.marks));
            inst.mark(names.marks(to, Home::Word(to)));
            inst.mark(later);
        }
    }
}

/// Turns words in marks into colours. A word that nobody reads after the mark may have lost its place by then.
fn follow_marks(function: &mut Function, colours: &[u8]) {
    rehome(function, |word, alive| match colours.get(word as usize) {
        Some(&colour) if alive => Home::Word(colour.into()),
        _ => Home::Nowhere,
    });
}

/// Gives the words in marks other homes. `home` is told a word and whether anybody reads it after the mark.
pub(super) fn rehome(function: &mut Function, home: impl Fn(Word, bool) -> Home) {
    let in_word = |block: &Block| block.marks().any(|mark| matches!(mark.home, Home::Word(_)));
    if !function.blocks.iter().any(in_word) {
        return;
    }
    let live = Liveness::of(function);
    let mut alive = vec![0; function.words as usize];
    for (b, block) in function.blocks.iter_mut().enumerate() {
        if !in_word(block) {
            continue;
        }
        // A word is alive if its stamp is this block's.
        let stamp = b as u32 + 1;
        for word in live.at_end(b).chain(block.end.uses()) {
            alive[word as usize] = stamp;
        }
        for inst in block.code.iter_mut().rev() {
            follow(&mut inst.marks, &alive, stamp, &home);
            for word in inst.defs() {
                alive[word as usize] = 0;
            }
            for word in inst.uses() {
                alive[word as usize] = stamp;
            }
        }
        follow(&mut block.marks, &alive, stamp, &home);
    }
}

/// Gives marks other homes where the words with the stamp are alive.
fn follow(marks: &mut [Mark], alive: &[u32], stamp: u32, home: impl Fn(Word, bool) -> Home) {
    for mark in marks {
        if let Home::Word(word) = mark.home {
            mark.home = home(word, alive.get(word as usize) == Some(&stamp));
        }
    }
}
