//! Removes instructions whose results nobody reads and that do nothing else.

use rustc_hash::FxHashMap;

use crate::ir::liveness::Liveness;
use crate::ir::names::{Mark, Names};
use crate::ir::{Block, Function, Inst, Word};
use crate::isa::Op;
use crate::program::Home;

/// Removes dead instructions and copies of a word to itself; whether there were any.
pub(crate) fn remove(function: &mut Function) -> bool {
    let live = Liveness::of(function);
    let mut alive = vec![0u32; function.words as usize];
    let mut changed = false;
    let mut unwritten: Vec<Word> = Vec::new();
    for (b, block) in function.blocks.iter_mut().enumerate() {
        // A word is alive if its stamp is this block's, so that nothing needs clearing.
        let stamp = b as u32 + 1;
        for word in live.at_end(b).chain(block.end.uses()) {
            alive[word as usize] = stamp;
        }
        let before = block.code.len();
        let mut kept = Vec::with_capacity(before);
        // What is left to say of instructions that went, in the order of the code.
        let mut gone = Gone::default();
        for mut inst in block.code.drain(..).rev() {
            let needed = !inst.is_removable() || inst.defs().any(|word| alive[word as usize] == stamp);
            let idle = inst.as_copy().is_some_and(|(to, from)| to == from);
            if needed && !idle {
                for word in inst.defs() {
                    alive[word as usize] = 0;
                }
                for word in inst.uses() {
                    alive[word as usize] = stamp;
                }
                inst.mark(gone.take());
                kept.push(inst);
            } else {
                unwritten.extend(inst.defs().filter(|_| !idle));
                gone.add(inst, &function.names);
            }
        }
        block.marks.extend(gone.take());
        kept.reverse();
        changed |= kept.len() != before;
        block.code = kept;
    }
    forget(function, &unwritten);
    changed
}

/// No mark may name words of which a definition went: what they hold now is older.
fn forget(function: &mut Function, unwritten: &[Word]) {
    if unwritten.is_empty() {
        return;
    }
    let mut is_unwritten = vec![false; function.words as usize];
    for &word in unwritten {
        is_unwritten[word as usize] = true;
    }
    for mark in function.blocks.iter_mut().flat_map(Block::marks_mut) {
        if let Home::Word(word) = mark.home
            && is_unwritten[word as usize]
        {
            mark.home = Home::Nowhere;
        }
    }
}

/// What is left to say of instructions that went in a row.
#[derive(Default)]
struct Gone {
    /// From the end of the code on.
    marks: Vec<Mark>,
    /// Which of them name a word.
    naming: FxHashMap<Word, Vec<usize>>,
}

impl Gone {
    /// Adds the instruction before those that went already.
    fn add(&mut self, inst: Inst, names: &Names) {
        let home = left_in(&inst);
        for word in inst.defs() {
            for at in self.naming.remove(&word).unwrap_or_default() {
                self.name(at, home);
            }
        }
        for mark in marks_of_gone(inst, names).into_iter().rev() {
            self.marks.push(mark);
            self.name(self.marks.len() - 1, mark.home);
        }
    }

    fn name(&mut self, at: usize, home: Home) {
        self.marks[at].home = home;
        if let Home::Word(word) = home {
            self.naming.entry(word).or_default().push(at);
        }
    }

    /// The marks in the order of the code.
    fn take(&mut self) -> impl Iterator<Item = Mark> + '_ {
        self.naming.clear();
        self.marks.drain(..).rev()
    }
}

/// Where what an instruction that goes would have written is: in another word, or it is a constant, or it is nowhere.
fn left_in(inst: &Inst) -> Home {
    match (inst.as_copy(), inst.op) {
        (Some((_, from)), _) => Home::Word(from),
        (None, Op::Imm) => Home::Constant(inst.imm),
        _ => Home::Nowhere,
    }
}

/// What to say behind the place of an instruction that goes.
pub(crate) fn marks_of_gone(mut inst: Inst, names: &Names) -> Vec<Mark> {
    let home = left_in(&inst);
    let mut marks: Vec<Mark> = inst.defs().flat_map(|word| names.marks(word, home)).collect();
    marks.extend(std::mem::take(&mut inst.marks));
    for mark in &mut marks {
        if let Home::Word(word) = mark.home
            && inst.defs().any(|def| def == word)
        {
            mark.home = home;
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn chains_of_dead_code_go_at_once() {
        let mut function = blocks(vec![End::Return(vec![4])]);
        function.params = vec![0];
        function.blocks[0].code =
            assemble("imm 1 5; mul 2 0 1; addi 3 2 1; ldf 5 0; vmid 4; stf 0 1; mov 0 0; trapnz 0 0 - -");
        assert!(remove(&mut function));
        assert_eq!(function.blocks[0].code, assemble("vmid 4; stf 0 1; trapnz 0 0 - -"));
        assert!(!remove(&mut function));
    }

    #[test]
    fn what_a_loop_carries_stays() {
        let mut function = blocks(vec![
            End::Branch {
                word: 0,
                then: 0,
                otherwise: 1,
            },
            End::Return(vec![1]),
        ]);
        function.params = vec![0, 1];
        let code = assemble("addi 1 1 3; addi 0 0 -1");
        function.blocks[0].code = code.clone();
        assert!(!remove(&mut function));
        assert_eq!(function.blocks[0].code, code);
    }
}
