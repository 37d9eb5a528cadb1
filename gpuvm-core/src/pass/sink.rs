//! What only one way of a branch reads is computed on that way. Copies may turn out to be of no use there: what a variable held before it is
//! counted up need not be kept if it can be counted up later.

use crate::ir::definitions::Definitions;
use crate::ir::flow::predecessors;
use crate::ir::names::{Mark, last_said, retain};
use crate::ir::word_map::WordMap;
use crate::ir::{End, Function, Inst, NONE, Word};
use crate::pass::dead_code::marks_of_gone;

/// Moves what only computes; whether there was anything to move.
pub(crate) fn sink(function: &mut Function) -> bool {
    let definitions = Definitions::of(function);
    let before = predecessors(function);
    let mut known = Known {
        read: WordMap::new(function.words),
        written: WordMap::new(function.words),
    };
    let mut changed = false;
    for b in 0..function.blocks.len() {
        let End::Branch { then, otherwise, .. } = function.blocks[b].end else {
            continue;
        };
        if !function.blocks[b].code.iter().any(Inst::is_pure) {
            continue;
        }
        for way in [then, otherwise] {
            if way != 0 && before[way] == [b] {
                changed |= sink_into(function, b, way, &definitions, &mut known);
            }
        }
    }
    changed
}

/// What is known of words while a block is looked at.
struct Known {
    /// How often those are read on the way that is looked at which are read there.
    read: WordMap<u32>,
    /// Those that stay where they are written.
    written: WordMap<()>,
}

impl Known {
    fn reads(&self, word: Word) -> u32 {
        self.read.get(word).unwrap_or(0)
    }

    fn count(&mut self, word: Word) {
        self.read.insert(word, self.reads(word) + 1);
    }
}

fn sink_into(function: &mut Function, from: usize, way: usize, definitions: &Definitions, known: &mut Known) -> bool {
    known.read.clear();
    known.written.clear();
    let block = &function.blocks[way];
    let in_code = block.code.iter().flat_map(Inst::uses);
    in_code.chain(block.end.uses()).for_each(|word| known.count(word));
    let code = &function.blocks[from].code;
    let mut sinks = vec![false; code.len()];
    for (inst, sinks) in code.iter().zip(&mut sinks).rev() {
        let word = inst.defs[0];
        let only_there = || {
            let uses = known.reads(word);
            uses > 0 && definitions.is_single(word) && definitions.uses(word) == uses
        };
        let computes = inst.is_pure() && inst.defs[1] == NONE && word != NONE;
        if computes && only_there() && inst.uses().all(|used| !known.written.contains(used)) {
            *sinks = true;
            inst.uses().for_each(|used| known.count(used));
        } else {
            inst.defs().for_each(|word| known.written.insert(word, ()));
        }
    }
    if !sinks.contains(&true) {
        return false;
    }
    let names = &function.names;
    let mut sunk: Vec<Inst> = Vec::new();
    for (i, copy) in code.iter().enumerate().filter(|&(i, _)| sinks[i]) {
        let mut copied = Inst {
            marks: Vec::new(),
            ..copy.clone()
        };
        // What came to be elsewhere after the copy is there still.
        for part in names.word(copy.defs[0]) {
            let said = last_said(part, &function.blocks[way].marks);
            let home = said.or_else(|| names.home_after(part, &code[i + 1..]));
            copied.mark(home.map(|home| Mark { part, home }));
        }
        sunk.push(copied);
    }
    let mut each = sinks.into_iter();
    retain(&mut function.blocks[from], |inst| {
        let sinks = each.next() == Some(true);
        if sinks {
            let copy = std::mem::replace(inst, Inst::copy(inst.defs[0], inst.uses[0], inst.place));
            inst.marks = marks_of_gone(copy, names);
        }
        !sinks
    });
    function.blocks[way].code.splice(0..0, sunk);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};

    fn sunk(code: &str, reads: &str) -> Function {
        let mut function = blocks(vec![
            End::Branch {
                word: 3,
                then: 1,
                otherwise: 2,
            },
            End::Halt,
            End::Return(vec![0]),
        ]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble(code);
        function.blocks[1].code = assemble(reads);
        sink(&mut function);
        function
    }

    #[test]
    fn a_copy_goes_where_it_is_read() {
        let function = sunk("mov 2 0; ltu 3 0 1", "addi 0 0 1; stf 2 0");
        assert_eq!(function.blocks[0].code, assemble("ltu 3 0 1"));
        assert_eq!(function.blocks[1].code, assemble("mov 2 0; addi 0 0 1; stf 2 0"));
    }

    #[test]
    fn what_one_way_reads_is_computed_there() {
        let function = sunk("mul 2 0 1; addi 4 2 7; ltu 3 0 1", "stf 4 0");
        assert_eq!(function.blocks[0].code, assemble("ltu 3 0 1"));
        assert_eq!(function.blocks[1].code, assemble("mul 2 0 1; addi 4 2 7; stf 4 0"));
        let function = sunk("mul 2 0 1; addi 4 2 7; ltu 3 2 1", "stf 4 0");
        assert_eq!(function.blocks[0].code, assemble("mul 2 0 1; ltu 3 2 1"));
    }

    #[test]
    fn what_is_read_elsewhere_or_changes_stays() {
        for code in [
            "mov 2 0; ltu 3 2 1",
            "mov 2 0; addi 0 0 1; ltu 3 0 1",
            "mov 2 0; mov 2 1; ltu 3 0 1",
        ] {
            assert_eq!(sunk(code, "stf 2 0").blocks[0].code, assemble(code));
        }
    }
}
