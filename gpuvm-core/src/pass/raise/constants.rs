//! Constants that words of the machine hold where blocks start and end, whichever way control comes. Works on allocated code.

use crate::ir::flow::reverse_postorder;
use crate::ir::{Function, Inst};
use crate::isa::{Op, WORDS};
use crate::matrix::CONSTANT;
use crate::pass::fuse::Maps;

/// The words that hold known constants at a point of the code.
pub(super) type Held = [Option<u32>; WORDS];

/// What the words hold at the borders of each block. A block never reached has nothing.
pub(super) struct Constants {
    start: Vec<Option<Held>>,
    end: Vec<Option<Held>>,
}

impl Constants {
    /// Solves the forward equations: a word holds a constant at a block's start if it does so at the end of each block before.
    pub fn of(function: &Function, maps: &Maps) -> Constants {
        let blocks = function.blocks.len();
        let mut all = Constants {
            start: vec![None; blocks],
            end: vec![None; blocks],
        };
        all.start[0] = Some([None; WORDS]);
        let order = reverse_postorder(function);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &b in &order {
                let Some(mut held) = all.start[b] else { continue };
                for inst in &function.blocks[b].code {
                    pass(&mut held, inst, maps);
                }
                if all.end[b] == Some(held) {
                    continue;
                }
                all.end[b] = Some(held);
                changed = true;
                for next in function.blocks[b].end.successors() {
                    all.start[next] = meet(all.start[next], Some(held));
                }
            }
        }
        all
    }

    /// What the words hold at the start of a block.
    pub fn at_start(&self, block: usize) -> Held {
        self.start[block].unwrap_or([None; WORDS])
    }

    /// What the words hold at the end of each of some blocks.
    pub fn at_ends(&self, blocks: &[usize]) -> Held {
        let ends = blocks.iter().map(|&b| self.end[b]);
        ends.fold(None, meet).unwrap_or([None; WORDS])
    }
}

fn meet(a: Option<Held>, b: Option<Held>) -> Option<Held> {
    let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
    Some(std::array::from_fn(|word| a[word].filter(|_| a[word] == b[word])))
}

fn pass(held: &mut Held, inst: &Inst, maps: &Maps) {
    let before = *held;
    match inst.op {
        Op::Call => *held = [None; WORDS],
        Op::Imm => held[inst.defs[0] as usize] = Some(inst.imm),
        Op::Mov => held[inst.defs[0] as usize] = before[inst.uses[0] as usize],
        Op::Affine => {
            for row in maps[inst.imm as usize].rows() {
                held[usize::from(row[0].row)] = match row {
                    [term] if term.column == CONSTANT => Some(term.coefficient),
                    _ => None,
                };
            }
        }
        _ => inst.defs().for_each(|word| held[word as usize] = None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn a_loop_keeps_what_it_does_not_write() {
        let mut function = blocks(vec![
            End::Jump(1),
            End::Branch {
                word: 2,
                then: 1,
                otherwise: 2,
            },
            End::Halt,
        ]);
        function.blocks[0].code = assemble("imm 0 7; imm 1 8; mov 3 0");
        function.blocks[1].code = assemble("addi 1 1 1; imm 4 9");
        let constants = Constants::of(&function, &Maps::new());
        let held = constants.at_start(1);
        assert_eq!((held[0], held[1], held[3], held[4]), (Some(7), None, Some(7), None));
        assert_eq!(constants.at_ends(&[0])[1], Some(8));
        assert_eq!(constants.at_start(2)[4], Some(9));
    }
}
