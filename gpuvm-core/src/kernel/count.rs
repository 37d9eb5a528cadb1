//! How a VM finds out how many elements there are.

use super::Count;
use super::build::Builder;
use crate::ir::{Inst, Word};
use crate::isa::Op;

impl Count {
    /// The launch parameter that it is read from.
    pub(super) fn param(&self) -> Option<usize> {
        match self {
            Count::Slice(param) | Count::Cell(param) | Count::Again(param) => Some(*param),
            Count::Chunks(of, _) | Count::AtMost(of, _) => of.param(),
            Count::Vms | Count::Constant(_) => None,
        }
    }
}

impl Builder<'_> {
    /// The number of elements.
    pub(super) fn count(&mut self, count: &Count) -> Word {
        match count {
            Count::Vms => self.make(Op::VmCount, 0),
            Count::Constant(count) => self.make(Op::Imm, *count),
            Count::Slice(param) => self.fetched(*param)[2],
            Count::Cell(param) | Count::Again(param) => {
                let fetched = self.fetched(*param).to_vec();
                match fetched[..] {
                    [value] => value,
                    _ => self.load(fetched[0], fetched[1], 1)[0],
                }
            }
            Count::Chunks(of, chunk) => {
                let of = self.count(of);
                let up = self.compute(Op::AddImm, &[of], chunk - 1);
                let chunk = self.make(Op::Imm, *chunk);
                self.compute(Op::DivU, &[up, chunk], 0)
            }
            Count::AtMost(of, most) => {
                let of = self.count(of);
                let most = self.make(Op::Imm, *most);
                self.compute(Op::MinU, &[of, most], 0)
            }
        }
    }

    /// A new word of a computation.
    pub(super) fn compute(&mut self, op: Op, uses: &[Word], imm: u32) -> Word {
        let word = self.word();
        self.push(Inst::new(op, word, uses, imm, self.place));
        word
    }
}
