//! Frame words that a machine word still holds are not loaded again. Works on allocated code, where spilling has put a load before
//! every use.

use crate::ir::flow::chains;
use crate::ir::names::retain;
use crate::ir::{Function, Inst, OUTGOING, Word};
use crate::isa::{Op, WORDS};

/// Turns loads of frame words into copies, or into nothing where the word is in place already.
pub(crate) fn reuse(function: &mut Function) {
    let has_slots = !function.slots.is_empty();
    let mut held = Held { by: vec![None; WORDS] };
    let mut last = 0;
    for (b, chain) in chains(function) {
        if std::mem::replace(&mut last, chain) != chain {
            held.forget_all();
        }
        retain(&mut function.blocks[b], |inst| held.pass(inst, has_slots));
    }
}

/// For each word of the machine the frame word whose value it holds.
struct Held {
    by: Vec<Option<u32>>,
}

impl Held {
    /// Passes an instruction, which may become a copy; whether it has to stay.
    fn pass(&mut self, inst: &mut Inst, has_slots: bool) -> bool {
        let own = inst.extra != OUTGOING;
        match inst.op {
            Op::LoadFrame if own => {
                let (to, offset) = (inst.defs[0], inst.imm);
                if self.by[to as usize] == Some(offset) {
                    return false;
                }
                if let Some(from) = self.by.iter().position(|&held| held == Some(offset)) {
                    inst.become_inst(Inst::copy(to, from as Word, inst.place));
                }
                self.by[to as usize] = Some(offset);
            }
            Op::StoreFrame if own => {
                let (from, offset) = (inst.uses[0] as usize, inst.imm);
                if self.by[from] == Some(offset) {
                    return false;
                }
                self.forget(|held| held == offset);
                self.by[from] = Some(offset);
            }
            Op::Call => self.forget_all(),
            // A store through a pointer may reach any addressed part of the frame.
            Op::Store if has_slots => self.forget_all(),
            _ => {
                for word in inst.defs() {
                    self.by[word as usize] = None;
                }
            }
        }
        true
    }

    fn forget(&mut self, mut which: impl FnMut(u32) -> bool) {
        for held in &mut self.by {
            *held = held.filter(|&offset| !which(offset));
        }
    }

    fn forget_all(&mut self) {
        self.by.fill(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn what_is_still_there_is_not_loaded() {
        let mut function = blocks(vec![End::Halt]);
        function.blocks[0].code =
            assemble("ldf 0 3; addi 1 0 1; ldf 2 3; ldf 0 3; stf 1 3; ldf 4 3; imm 1 0; imm 4 0; ldf 5 3");
        reuse(&mut function);
        assert_eq!(
            function.blocks[0].code,
            assemble("ldf 0 3; addi 1 0 1; mov 2 0; stf 1 3; mov 4 1; imm 1 0; imm 4 0; ldf 5 3")
        );
    }
}
