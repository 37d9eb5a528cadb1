//! Moves computations that give the same in each turn of a loop before the loop, as long as words are left to keep them in.

use crate::ir::definitions::Definitions;
use crate::ir::flow::{Loop, Shape, predecessors};
use crate::ir::liveness::Liveness;
use crate::ir::names::retain;
use crate::ir::{Block, End, Function, Inst, Word};
use crate::isa::{Op, WORDS};
use crate::program::Home;

/// Words left free for what the loop computes itself.
const RESERVE: usize = 4;

/// Hoists; whether anything moved.
pub(crate) fn hoist(function: &mut Function) -> bool {
    let shape = Shape::of(function);
    if shape.loops.is_empty() {
        return false;
    }
    let definitions = Definitions::of(function);
    let pressure = block_pressure(function);
    let mut hoist = Hoist {
        home: homes(function, &definitions),
        definitions,
        inside: vec![false; function.blocks.len()],
    };
    let mut moved_in = vec![0; function.blocks.len()];
    let mut changed = false;
    // Outer loops come first, so that what is invariant in both leaves both at once.
    for each in &shape.loops {
        let busiest = each.body.iter().map(|&b| pressure[b] + moved_in[b]).max().unwrap_or(0);
        let room = WORDS.saturating_sub(RESERVE).saturating_sub(busiest);
        let moved = hoist.leave(function, each, room);
        if moved.is_empty() {
            continue;
        }
        for &b in &each.body {
            moved_in[b] += moved.len();
        }
        let before = insert_before(function, each);
        hoist.inside.push(false);
        for word in moved.iter().flat_map(Inst::defs) {
            hoist.home[word as usize] = before;
            function.names.disown(word);
        }
        function.blocks[before].code = moved;
        changed = true;
    }
    changed
}

struct Hoist {
    definitions: Definitions,
    /// The block that defines each word.
    home: Vec<usize>,
    /// Whether a block belongs to the loop at hand.
    inside: Vec<bool>,
}

impl Hoist {
    /// Takes up to `room` invariant instructions out of a loop, in an order in which they can run.
    fn leave(&mut self, function: &mut Function, each: &Loop, room: usize) -> Vec<Inst> {
        for &b in &each.body {
            self.inside[b] = true;
        }
        let mut moved = Vec::new();
        let mut blocks = each.body.clone();
        // Body blocks come in no particular order; a few turns let chains of invariants follow one another.
        blocks.sort_unstable();
        for _ in 0..3 {
            let before = moved.len();
            for &b in &blocks {
                let names = &function.names;
                retain(&mut function.blocks[b], |inst| {
                    let goes = moved.len() < room && self.is_invariant(inst);
                    if goes {
                        for word in inst.defs() {
                            self.home[word as usize] = usize::MAX;
                        }
                        // Variables get there only where the source says so.
                        let marks = std::mem::take(&mut inst.marks);
                        moved.push(inst.clone());
                        let written: Vec<Word> = inst.defs().collect();
                        for word in written {
                            inst.mark(names.marks(word, Home::Word(word)));
                        }
                        inst.mark(marks);
                    }
                    !goes
                });
            }
            if moved.len() == before {
                break;
            }
        }
        for &b in &each.body {
            self.inside[b] = false;
        }
        moved
    }

    fn is_invariant(&self, inst: &Inst) -> bool {
        inst.is_pure()
            && inst.op != Op::Mov
            && inst.defs().all(|word| self.definitions.is_single(word))
            && inst
                .uses()
                .all(|word| self.definitions.is_single(word) && self.is_outside(word))
    }

    fn is_outside(&self, word: Word) -> bool {
        self.inside.get(self.home[word as usize]).is_none_or(|inside| !inside)
    }
}

/// The block of each word's definition; `usize::MAX` for parameters.
fn homes(function: &Function, definitions: &Definitions) -> Vec<usize> {
    (0..function.words)
        .map(|word| definitions.place(word).map_or(usize::MAX, |(block, _)| block))
        .collect()
}

/// The most words alive at a time in each block.
fn block_pressure(function: &Function) -> Vec<usize> {
    let live = Liveness::of(function);
    let mut alive = vec![usize::MAX; function.words as usize];
    let mut pressure = Vec::with_capacity(function.blocks.len());
    for (b, block) in function.blocks.iter().enumerate() {
        let mut now = 0;
        for word in live.at_end(b).chain(block.end.uses()) {
            now += usize::from(std::mem::replace(&mut alive[word as usize], b) != b);
        }
        let mut most = now;
        for inst in block.code.iter().rev() {
            for word in inst.defs() {
                now -= usize::from(std::mem::replace(&mut alive[word as usize], usize::MAX) == b);
            }
            for word in inst.uses() {
                now += usize::from(std::mem::replace(&mut alive[word as usize], b) != b);
            }
            most = most.max(now);
        }
        pressure.push(most);
    }
    pressure
}

/// A new block that every way into the loop leads through.
fn insert_before(function: &mut Function, each: &Loop) -> usize {
    let before = function.blocks.len();
    let entering: Vec<usize> = predecessors(function)[each.header]
        .iter()
        .copied()
        .filter(|p| !each.body.contains(p))
        .collect();
    for p in entering {
        function.blocks[p]
            .end
            .retarget(|to| if to == each.header { before } else { to });
    }
    let place = function.blocks[each.header].place;
    function.blocks.push(Block {
        code: Vec::new(),
        end: End::Jump(each.header),
        place,
        marks: Vec::new(),
    });
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn what_a_loop_does_not_change_leaves_it() {
        let mut function = blocks(vec![
            End::Jump(1),
            End::Branch {
                word: 4,
                then: 1,
                otherwise: 2,
            },
            End::Return(vec![0]),
        ]);
        function.params = vec![0, 1];
        function.blocks[1].code = assemble("imm 2 100; mul 3 1 2; add 0 0 3; ltu 4 0 2");
        assert!(hoist(&mut function));
        assert_eq!(function.blocks[1].code, assemble("add 0 0 3; ltu 4 0 2"));
        assert_eq!(function.blocks[3].code, assemble("imm 2 100; mul 3 1 2"));
        assert_eq!(function.blocks[0].end, End::Jump(3));
        assert!(!hoist(&mut function));
    }
}
