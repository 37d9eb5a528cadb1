//! Brings values back from frame memory: accesses through a known address become direct, and a part of the frame whose
//! address nobody takes any more becomes words.

use crate::ir::definitions::Definitions;
use crate::ir::{Function, Inst, NONE, OUTGOING, Slot, Word, strict};
use crate::isa::{Op, space};

/// Promotes; whether anything changed.
pub(crate) fn promote(function: &mut Function) -> bool {
    if function.slots.is_empty() {
        return false;
    }
    let mut changed = make_direct(function);
    changed |= slots_to_words(function);
    changed
}

/// `load` and `store` at a constant place of the frame become `ldf` and `stf`.
fn make_direct(function: &mut Function) -> bool {
    let definitions = Definitions::of(function);
    let mut found = Vec::new();
    for (b, block) in function.blocks.iter().enumerate() {
        for (i, inst) in block.code.iter().enumerate() {
            let (in_space, at) = match inst.op {
                Op::Load => (inst.uses[0], inst.uses[1]),
                Op::Store => (inst.uses[1], inst.uses[2]),
                _ => continue,
            };
            if !is_frame(function, &definitions, in_space) {
                continue;
            }
            let Some((slot, offset)) = address(function, &definitions, at) else {
                continue;
            };
            let offset = offset.wrapping_add(inst.imm);
            // An access outside of the range it was addressed through is left for the machine to judge.
            if offset >= slot.offset && offset < slot.offset + slot.length {
                found.push((b, i, offset));
            }
        }
    }
    for &(b, i, offset) in &found {
        let inst = &mut function.blocks[b].code[i];
        inst.become_inst(match inst.op {
            Op::Load => Inst::new(Op::LoadFrame, inst.defs[0], &[], offset, inst.place),
            _ => Inst::new(Op::StoreFrame, NONE, &[inst.uses[0]], offset, inst.place),
        });
    }
    !found.is_empty()
}

fn is_frame(function: &Function, definitions: &Definitions, word: Word) -> bool {
    definitions
        .only(function, word)
        .is_some_and(|inst| inst.op == Op::Imm && inst.imm == space::FRAME)
}

/// The addressed range and the frame offset that a word is known to hold. Steps through copies and added constants.
fn address(function: &Function, definitions: &Definitions, mut word: Word) -> Option<(Slot, u32)> {
    let mut offset = 0u32;
    for _ in 0..16 {
        let inst = definitions.only(function, word)?;
        match inst.op {
            Op::Address => {
                let slot = Slot {
                    offset: inst.imm,
                    length: inst.extra,
                };
                return Some((slot, inst.imm.wrapping_add(offset)));
            }
            Op::AddImm => offset = offset.wrapping_add(inst.imm),
            Op::Mov => {}
            _ => return None,
        }
        word = inst.uses[0];
    }
    None
}

/// Turns slots that no `addr` names into words.
fn slots_to_words(function: &mut Function) -> bool {
    let mut slot_of = vec![usize::MAX; function.frame_words as usize];
    for (i, slot) in function.slots.iter().enumerate() {
        slot_of[slot.offset as usize..(slot.offset + slot.length) as usize].fill(i);
    }
    let definitions = Definitions::of(function);
    let mut addressed = vec![false; function.slots.len()];
    for inst in function.blocks.iter().flat_map(|block| &block.code) {
        // The address of an empty range, and one that nobody reads, holds nothing in place.
        if inst.op == Op::Address && inst.extra > 0 && definitions.uses(inst.defs[0]) > 0 {
            addressed[slot_of[inst.imm as usize]] = true;
        }
    }
    if addressed.iter().all(|&addressed| addressed) {
        return false;
    }
    let mut word_of = vec![NONE; function.frame_words as usize];
    for (slot, _) in function
        .slots
        .iter()
        .zip(&addressed)
        .filter(|(_, addressed)| !**addressed)
    {
        for word in &mut word_of[slot.offset as usize..(slot.offset + slot.length) as usize] {
            *word = function.words;
            function.words += 1;
        }
    }
    for (offset, &word) in word_of.iter().enumerate().filter(|&(_, &word)| word != NONE) {
        function.names.promote(offset as u32, word);
    }
    for block in &mut function.blocks {
        for inst in &mut block.code {
            let direct = matches!(inst.op, Op::LoadFrame | Op::StoreFrame) && inst.extra != OUTGOING;
            let gone = inst.op == Op::Address && inst.extra > 0;
            if !direct && !gone || word_of[inst.imm as usize] == NONE {
                continue;
            }
            let word = word_of[inst.imm as usize];
            inst.become_inst(match inst.op {
                Op::LoadFrame => Inst::copy(inst.defs[0], word, inst.place),
                Op::StoreFrame => Inst::copy(word, inst.uses[0], inst.place),
                _ => Inst::constant(inst.defs[0], 0, inst.place),
            });
        }
    }
    let mut kept = addressed.iter();
    function.slots.retain(|_| kept.next().copied().unwrap_or(true));
    close_gaps(function);
    strict::define_all(function);
    true
}

/// Moves the slots together after some have gone. Every access that is left is of a slot, or of an empty range.
fn close_gaps(function: &mut Function) {
    let mut moved = vec![NONE; function.frame_words as usize];
    let mut next = 0;
    for slot in &mut function.slots {
        for (i, to) in moved[slot.offset as usize..(slot.offset + slot.length) as usize]
            .iter_mut()
            .enumerate()
        {
            *to = next + i as u32;
        }
        slot.offset = next;
        next += slot.length;
    }
    let moved = |offset: u32| moved.get(offset as usize).copied().filter(|&to| to != NONE);
    for inst in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
        if matches!(inst.op, Op::LoadFrame | Op::StoreFrame | Op::Address) {
            inst.imm = moved(inst.imm).unwrap_or(0);
        }
    }
    function.names.move_frame(moved);
    function.frame_words = next;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    fn with_slot(code: &str) -> Function {
        let mut function = blocks(vec![End::Return(vec![9])]);
        function.params = vec![0];
        function.frame_words = 4;
        function.slots = vec![Slot { offset: 0, length: 4 }];
        function.blocks[0].code = assemble(code);
        function
    }

    #[test]
    fn a_reference_to_a_local_needs_no_memory() {
        let mut function = with_slot("stf 0 1; imm 2 0; addr 3 0 4; addi 4 3 1; load 9 2 4 0; store 9 2 3 2");
        assert!(promote(&mut function));
        assert_eq!(
            function.blocks[0].code,
            assemble("stf 0 1; imm 2 0; addr 3 0 4; addi 4 3 1; ldf 9 1; stf 9 2")
        );
        function.blocks[0].code.drain(2..4);
        assert!(promote(&mut function));
        assert!(function.slots.is_empty());
        assert_eq!(
            function.blocks[0].code,
            assemble("mov 65 0; imm 2 0; mov 9 65; mov 66 9")
        );
    }

    #[test]
    fn an_index_that_is_not_known_keeps_the_array_in_memory() {
        let mut function = with_slot("stf 0 1; imm 2 0; addr 3 0 4; add 4 3 0; load 9 2 4 0");
        assert!(!promote(&mut function));
    }
}
