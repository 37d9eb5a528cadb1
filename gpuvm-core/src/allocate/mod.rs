//! Allocation: any number of words onto the machine's 28. Words that find no place, and words that live across a call, live
//! in the frame. Colouring of the interference graph after Chaitin and Briggs, repeated until nothing more has to be spilled.

mod calls;
mod colour;
mod interference;
mod late;
mod pressure;
mod spill;
mod variables;

use crate::ir::names::retain;
use crate::ir::{Block, Function};
use crate::pass::blocks::drop_unreachable;
use crate::program::Home;

/// Gives every word of the function one of the machine's words. Calls, parameters and results become frame traffic; afterwards
/// [`Function::frame_words`] is final.
pub(crate) fn allocate(function: &mut Function) {
    drop_unreachable(function);
    calls::lower(function);
    late::load_late(function);
    compact(function);
    // Words that spilling adds only carry a value to or from one instruction, and are not spilled again.
    let temporaries = function.words;
    if let Some(places) = pressure::excess(function, || interference::Graph::weights(function)) {
        spill::spill(function, &places);
    }
    loop {
        let graph = interference::Graph::of(function, temporaries);
        match colour::colour(graph) {
            colour::Outcome::Coloured(colours) => {
                rename(function, &colours);
                return;
            }
            colour::Outcome::Spill(spilled) => spill::spill(function, &spilled),
        }
    }
}

/// Numbers the words that occur from 0 on.
fn compact(function: &mut Function) {
    let mut number = vec![u32::MAX; function.words as usize];
    let mut count = 0;
    for_each_word(function, |word| {
        let new = &mut number[*word as usize];
        if *new == u32::MAX {
            *new = count;
            count += 1;
        }
        *word = *new;
    });
    let number = |word: u32| number.get(word as usize).copied().filter(|&new| new != u32::MAX);
    function.names.renumber(number);
    for mark in function.blocks.iter_mut().flat_map(Block::marks_mut) {
        if let Home::Word(word) = mark.home {
            mark.home = number(word).map_or(Home::Nowhere, Home::Word);
        }
    }
    function.words = count;
}

/// Replaces words by their colours and drops copies of a word to itself.
fn rename(function: &mut Function, colours: &[u8]) {
    variables::name_homes(function, colours);
    for_each_word(function, |word| *word = colours[*word as usize].into());
    for block in &mut function.blocks {
        retain(block, |inst| inst.as_copy().is_none_or(|(to, from)| to != from));
    }
    function.words = crate::isa::WORDS as u32;
}

fn for_each_word(function: &mut Function, mut visit: impl FnMut(&mut u32)) {
    for block in &mut function.blocks {
        for inst in &mut block.code {
            inst.uses_mut().for_each(&mut visit);
            inst.defs_mut().for_each(&mut visit);
        }
        block.end.uses_mut().for_each(&mut visit);
    }
}
