//! Which words still matter at the borders of each block. Only words that cross a border get a column, so that functions
//! with very many short-lived words stay cheap.

use super::bits::{BitRows, members};
use super::flow::predecessors;
use super::{Function, Word};

/// The words live at the start and end of each block.
pub(crate) struct Liveness {
    /// The words that cross some border, ascending; a column is a place in here.
    crossing: Vec<Word>,
    live_in: BitRows,
    live_out: BitRows,
}

impl Liveness {
    /// Solves the backward equations `in = use ∪ (out − def)`, `out = ∪ in of successors`.
    pub fn of(function: &Function) -> Liveness {
        let (crossing, column) = crossing_words(function);
        let blocks = function.blocks.len();
        let mut live_in = BitRows::new(blocks, crossing.len());
        let mut defined = BitRows::new(blocks, crossing.len());
        for (b, block) in function.blocks.iter().enumerate() {
            for inst in &block.code {
                for w in inst.uses() {
                    let c = column[w as usize] as usize;
                    if c != u32::MAX as usize && !defined.contains(b, c) {
                        live_in.insert(b, c);
                    }
                }
                for w in inst.defs() {
                    if column[w as usize] != u32::MAX {
                        defined.insert(b, column[w as usize] as usize);
                    }
                }
            }
            for w in block.end.uses() {
                let c = column[w as usize] as usize;
                if c != u32::MAX as usize && !defined.contains(b, c) {
                    live_in.insert(b, c);
                }
            }
        }
        let mut live_out = BitRows::new(blocks, crossing.len());
        let before = predecessors(function);
        let mut queued = vec![true; blocks];
        let mut work: Vec<usize> = (0..blocks).collect();
        while let Some(b) = work.pop() {
            queued[b] = false;
            for next in function.blocks[b].end.successors() {
                union(live_out.row_mut(b), live_in.row(next));
            }
            let mut changed = false;
            let row = live_in.row_mut(b).iter_mut();
            for ((to, out), def) in row.zip(live_out.row(b)).zip(defined.row(b)) {
                let new = *to | (out & !def);
                changed |= new != *to;
                *to = new;
            }
            if changed {
                for &p in &before[b] {
                    if !std::mem::replace(&mut queued[p], true) {
                        work.push(p);
                    }
                }
            }
        }
        Liveness {
            crossing,
            live_in,
            live_out,
        }
    }

    /// The words that are read after the start of a block before they are written.
    pub fn at_start(&self, block: usize) -> impl Iterator<Item = Word> + '_ {
        members(self.live_in.row(block)).map(|c| self.crossing[c])
    }

    /// The words whose value at the end of a block is read later; what the block's own end reads is not among them.
    pub fn at_end(&self, block: usize) -> impl Iterator<Item = Word> + '_ {
        members(self.live_out.row(block)).map(|c| self.crossing[c])
    }
}

/// The words that some block reads before it writes them, and for each word its place among them.
fn crossing_words(function: &Function) -> (Vec<Word>, Vec<u32>) {
    let mut column = vec![u32::MAX; function.words as usize];
    let mut written_in = vec![usize::MAX; function.words as usize];
    for (b, block) in function.blocks.iter().enumerate() {
        for inst in &block.code {
            for w in inst.uses() {
                if written_in[w as usize] != b {
                    column[w as usize] = 0;
                }
            }
            for w in inst.defs() {
                written_in[w as usize] = b;
            }
        }
        for w in block.end.uses() {
            if written_in[w as usize] != b {
                column[w as usize] = 0;
            }
        }
    }
    let mut crossing = Vec::new();
    for (w, c) in column.iter_mut().enumerate() {
        if *c == 0 {
            *c = crossing.len() as u32;
            crossing.push(w as Word);
        }
    }
    (crossing, column)
}

fn union(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to |= from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn a_loop_keeps_its_words_alive() {
        let mut function = blocks(vec![
            End::Jump(1),
            End::Branch {
                word: 1,
                then: 1,
                otherwise: 2,
            },
            End::Return(vec![0]),
        ]);
        function.blocks[0].code = assemble("imm 0 5; imm 1 3");
        function.blocks[1].code = assemble("add 0 0 2; imm 3 1; sub 1 1 3");
        let live = Liveness::of(&function);
        assert_eq!(live.at_start(0).collect::<Vec<_>>(), [2]);
        assert_eq!(live.at_end(1).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(live.at_start(2).collect::<Vec<_>>(), [0]);
    }
}
