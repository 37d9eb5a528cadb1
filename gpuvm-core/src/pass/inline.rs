//! Inlining: a call becomes the callee's blocks.

use crate::ir::names::Scopes;
use crate::ir::{Block, End, Function, Inst, Slot, Word};
use crate::isa::Op;
use crate::program::Home;

/// How many times the limit a caller may grow to.
const GROWTH: usize = 16;
/// The part of the limit up to which a callee is inlined wherever it is called: what a call costs by itself, and what it keeps the passes
/// from seeing, is more than its code.
const SMALL: usize = 16;

/// Which functions are called in one place only.
pub(crate) fn called_once(functions: &[Function]) -> Vec<bool> {
    let mut places = vec![0_u32; functions.len()];
    let code = functions.iter().flat_map(|function| &function.blocks);
    for inst in code.flat_map(|block| &block.code).filter(|inst| inst.op == Op::Call) {
        if let Some(places) = places.get_mut(inst.imm as usize) {
            *places += 1;
        }
    }
    places.into_iter().map(|places| places == 1).collect()
}

/// Replaces calls in `caller` by the bodies of those callees that `may_inline` names and that are small, or by whose second and further calls
/// in the caller it grows by at most `limit` instructions in all, or that are called `once`: one copy of a callee there is anyway. So a soft
/// double's product is written into a function that multiplies twice, and called by one that multiplies fifty times. Callees come optimised;
/// what they call themselves was inlined into them before or stays a call.
pub(crate) fn inline(
    caller: &mut Function,
    callees: &[Function],
    limit: usize,
    once: &[bool],
    may_inline: impl Fn(usize) -> bool,
) {
    let most = limit.saturating_mul(GROWTH);
    let mut size = caller.size();
    let mut calls = vec![0; callees.len()];
    count_calls(&caller.blocks, &mut calls);
    let mut b = 0;
    while b < caller.blocks.len() {
        let found = caller.blocks[b].code.iter().position(|inst| {
            let callee = inst.imm as usize;
            inst.op == Op::Call && may_inline(callee) && {
                let added = callees[callee].size();
                let further = calls[callee].saturating_sub(1).max(1);
                let worth_it = added <= limit / SMALL || added.saturating_mul(further) <= limit;
                once.get(callee) == Some(&true) || worth_it && size + added <= most
            }
        });
        if let Some(at) = found {
            let callee = &callees[caller.blocks[b].code[at].imm as usize];
            size += callee.size();
            count_calls(&callee.blocks, &mut calls);
            splice(caller, b, at, callee);
        }
        // What comes after the call is now a later block, and so is the callee's code, whose calls are the caller's now.
        b += 1;
    }
}

/// Adds the calls in blocks, by callee.
fn count_calls(blocks: &[Block], calls: &mut [usize]) {
    let code = blocks.iter().flat_map(|block| &block.code);
    for inst in code.filter(|inst| inst.op == Op::Call) {
        if let Some(calls) = calls.get_mut(inst.imm as usize) {
            *calls += 1;
        }
    }
}

/// Puts the callee's blocks in place of the call at `at` of block `b`.
fn splice(caller: &mut Function, b: usize, at: usize, callee: &Function) {
    let first_word = caller.words;
    caller.words += callee.words;
    let frame = caller.frame_words;
    caller.frame_words += callee.frame_words;
    caller.slots.extend(callee.slots.iter().map(|slot| Slot {
        offset: slot.offset + frame,
        ..*slot
    }));

    let first_block = caller.blocks.len();
    let after = first_block + callee.blocks.len();
    let rest = caller.blocks[b].code.split_off(at + 1);
    let Some(call) = caller.blocks[b].code.pop() else {
        return;
    };
    let place = call.place;
    let scopes = caller
        .names
        .inline(&callee.names, first_word, frame, place.routine, place.line);
    let new = Numbers {
        word: first_word,
        block: first_block,
        frame,
        after,
        scopes,
    };
    let words = call.call.unwrap_or_default();
    let entry = callee.params.iter().zip(&words.args);
    caller.blocks[b]
        .code
        .extend(entry.map(|(&param, &arg)| Inst::copy(param + first_word, arg, place)));
    let end = std::mem::replace(&mut caller.blocks[b].end, End::Jump(first_block));
    let end_place = std::mem::replace(&mut caller.blocks[b].place, place);

    for block in &callee.blocks {
        caller.blocks.push(renamed(block, new, &words.results));
    }
    caller.blocks.push(Block {
        code: rest,
        end,
        place: end_place,
        marks: Vec::new(),
    });
}

/// Where the callee's numbers start in the caller, and the block that comes after the call.
#[derive(Clone, Copy)]
struct Numbers {
    word: Word,
    block: usize,
    frame: u32,
    after: usize,
    scopes: Scopes,
}

/// A block of the callee with the caller's numbers; a return becomes copies and a jump.
fn renamed(block: &Block, new: Numbers, results: &[Word]) -> Block {
    let mut block = block.clone();
    block.place.routine = new.scopes.number(block.place.routine);
    for mark in block.marks_mut() {
        mark.part = new.scopes.part(mark.part);
        if let Home::Word(word) = &mut mark.home {
            *word += new.word;
        }
    }
    for inst in &mut block.code {
        for word in inst.uses_mut() {
            *word += new.word;
        }
        for word in inst.defs_mut() {
            *word += new.word;
        }
        inst.place.routine = new.scopes.number(inst.place.routine);
        if matches!(inst.op, Op::LoadFrame | Op::StoreFrame | Op::Address) {
            inst.imm += new.frame;
        }
    }
    block.end.retarget(|to| to + new.block);
    for word in block.end.uses_mut() {
        *word += new.word;
    }
    if let End::Return(words) = &block.end {
        let place = block.place;
        block.code.extend(
            results
                .iter()
                .zip(words)
                .map(|(&to, &from)| Inst::copy(to, from, place)),
        );
        block.end = End::Jump(new.after);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::CallWords;
    use crate::ir::testing::{assemble, blocks};

    fn call(callee: u32) -> Inst {
        let mut inst = assemble("call 0 0 0").remove(0);
        inst.imm = callee;
        inst.extra = 0;
        inst.call = Some(Box::new(CallWords {
            args: vec![3],
            results: vec![4],
        }));
        inst
    }

    #[test]
    fn every_call_becomes_the_callee() {
        let mut callee = blocks(vec![End::Return(vec![1])]);
        callee.params = vec![0];
        callee.frame_words = 2;
        callee.blocks[0].code = assemble("addi 1 0 1; stf 1 0");
        let mut caller = blocks(vec![End::Return(vec![4])]);
        caller.frame_words = 5;
        caller.blocks[0].code = vec![call(0), call(0)];
        inline(&mut caller, &[callee], 100, &[], |_| true);
        assert!(
            caller
                .blocks
                .iter()
                .flat_map(|block| &block.code)
                .all(|inst| inst.op != Op::Call)
        );
        assert_eq!(caller.frame_words, 9);
        assert_eq!(caller.blocks[0].code, assemble("mov 64 3"));
        assert_eq!(caller.blocks[1].code, assemble("addi 65 64 1; stf 65 5; mov 4 65"));
        assert_eq!(
            caller.blocks.last().map(|block| &block.end),
            Some(&End::Return(vec![4]))
        );
    }

    #[test]
    fn what_many_places_call_is_inlined_if_the_further_calls_fit() {
        let mut callee = blocks(vec![End::Return(vec![1])]);
        callee.params = vec![0];
        callee.blocks[0].code = assemble("addi 1 0 1; addi 1 1 1; addi 1 1 1; addi 1 1 1; addi 1 1 1");
        let calls_left = |calls: usize, limit: usize| {
            let mut caller = blocks(vec![End::Return(vec![4])]);
            caller.blocks[0].code = (0..calls).map(|_| call(0)).collect();
            inline(&mut caller, std::slice::from_ref(&callee), limit, &[], |_| true);
            let code = caller.blocks.iter().flat_map(|block| &block.code);
            code.filter(|inst| inst.op == Op::Call).count()
        };
        let size = callee.size();
        assert_eq!(calls_left(3, 2 * size), 0);
        assert_eq!(calls_left(3, 2 * size - 1), 3);
        assert_eq!([1, 2].map(|calls| calls_left(calls, size)), [0, 0]);
        assert_eq!(calls_left(1, size - 1), 1);
        // What is small is inlined until the caller is too large.
        assert_eq!(calls_left(40, SMALL * size), 0);
        assert!(calls_left(400, SMALL * size) > 0);
    }

    #[test]
    fn what_is_too_large_stays_a_call() {
        let callee = blocks(vec![End::Return(vec![])]);
        let mut caller = blocks(vec![End::Halt]);
        caller.blocks[0].code = vec![call(0)];
        inline(&mut caller, &[callee], 0, &[false], |_| true);
        assert_eq!(caller.blocks.len(), 1);
    }
}
