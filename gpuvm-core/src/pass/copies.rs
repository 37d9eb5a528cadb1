//! Copy propagation: who reads a copy reads the original instead, and who computes a word only to copy it elsewhere
//! computes it there.

use crate::ir::definitions::Definitions;
use crate::ir::{Block, Function, Word};

/// Propagates copies; whether anything changed. The copies themselves are left for dead code removal, but for those whose
/// source is now computed in place.
pub(crate) fn propagate(function: &mut Function) -> bool {
    let mut changed = forward(function);
    changed |= backward(function);
    changed
}

/// Replaces uses of copies. Between words that are written once a copy holds everywhere; for all others it holds within a
/// block until either word is written again.
fn forward(function: &mut Function) -> bool {
    let definitions = Definitions::of(function);
    let originals = originals(function, &definitions);
    let words = function.words as usize;
    let mut local = Local {
        copies: vec![None; words],
        versions: vec![0; words],
        block: 0,
    };
    let mut changed = false;
    for (b, block) in function.blocks.iter_mut().enumerate() {
        local.block = b;
        for inst in &mut block.code {
            for word in inst.uses_mut() {
                changed |= replace(word, &originals, &local);
            }
            for word in inst.defs() {
                local.versions[word as usize] += 1;
                local.copies[word as usize] = None;
            }
            if let Some((to, from)) = inst.as_copy()
                && to != from
            {
                local.copies[to as usize] = Some((from, local.versions[from as usize], b));
            }
        }
        for word in block.end.uses_mut() {
            changed |= replace(word, &originals, &local);
        }
    }
    changed
}

/// What each word is a copy of for good; itself if of nothing.
fn originals(function: &Function, definitions: &Definitions) -> Vec<Word> {
    let mut original: Vec<Word> = (0..function.words).collect();
    for inst in function.blocks.iter().flat_map(|block| &block.code) {
        if let Some((to, from)) = inst.as_copy()
            && definitions.is_single(to)
            && definitions.is_single(from)
        {
            original[to as usize] = from;
        }
    }
    for word in 0..function.words {
        let mut root = original[word as usize];
        // Code that is never reached could copy in a circle, which the count cuts.
        for _ in 0..64 {
            if original[root as usize] == root {
                break;
            }
            root = original[root as usize];
        }
        original[word as usize] = root;
    }
    original
}

/// The copies that hold at a point within a block.
struct Local {
    /// For each word: its source, the source's version then, and the block.
    copies: Vec<Option<(Word, u32, usize)>>,
    versions: Vec<u32>,
    block: usize,
}

fn replace(word: &mut Word, originals: &[Word], local: &Local) -> bool {
    let mut new = originals[*word as usize];
    if let Some((from, version, block)) = local.copies[new as usize]
        && block == local.block
        && local.versions[from as usize] == version
    {
        new = originals[from as usize];
    }
    std::mem::replace(word, new) != new
}

/// Rewrites `t = …; x = t` to `x = …` where that is the only use of `t` and nothing touches `x` between.
fn backward(function: &mut Function) -> bool {
    let definitions = Definitions::of(function);
    let mut touched = vec![Touched::default(); function.words as usize];
    let mut changed = false;
    for (b, block) in function.blocks.iter_mut().enumerate() {
        changed |= sink(block, b as u32 + 1, &definitions, &mut touched);
    }
    changed
}

/// Where in a block a word was last read and written, counted from 1; 0 before the block.
#[derive(Clone, Copy, Default)]
struct Touched {
    block: u32,
    used: usize,
    defined: usize,
}

fn sink(
    block: &mut Block,
    number: u32,
    definitions: &Definitions,
    touched: &mut [Touched],
) -> bool {
    let at = |touched: &[Touched], word: Word| match touched[word as usize] {
        found if found.block == number => found,
        _ => Touched {
            block: number,
            ..Touched::default()
        },
    };
    let mut gone = Vec::new();
    for i in 0..block.code.len() {
        if let Some((to, from)) = block.code[i].as_copy()
            && to != from
            && definitions.is_single(from)
            && definitions.uses(from) == 1
        {
            let (source, target) = (at(touched, from), at(touched, to));
            if source.defined > target.defined && source.defined >= target.used {
                let maker = &mut block.code[source.defined - 1];
                for word in maker.defs_mut().filter(|word| **word == from) {
                    *word = to;
                }
                touched[to as usize] = Touched {
                    block: number,
                    used: target.used,
                    defined: source.defined,
                };
                gone.push(i);
                continue;
            }
        }
        let inst = &block.code[i];
        for word in inst.uses() {
            touched[word as usize] = Touched {
                used: i + 1,
                ..at(touched, word)
            };
        }
        for word in inst.defs() {
            touched[word as usize] = Touched {
                defined: i + 1,
                ..at(touched, word)
            };
        }
    }
    let mut index = 0;
    let mut gone_next = gone.iter().copied().peekable();
    block.code.retain(|_| {
        let remove = gone_next.next_if_eq(&index).is_some();
        index += 1;
        !remove
    });
    !gone.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::End;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn copies_of_words_written_once_hold_across_blocks() {
        let mut function = blocks(vec![End::Jump(1), End::Return(vec![2])]);
        function.params = vec![0];
        function.blocks[0].code = assemble("mov 1 0");
        function.blocks[1].code = assemble("addi 2 1 7");
        assert!(propagate(&mut function));
        assert_eq!(function.blocks[1].code, assemble("addi 2 0 7"));
    }

    #[test]
    fn a_copy_ends_where_its_source_is_written() {
        let mut function = blocks(vec![End::Return(vec![3, 4])]);
        function.params = vec![0];
        function.blocks[0].code = assemble("mov 1 0; addi 3 1 1; addi 0 0 1; addi 4 1 1");
        assert!(propagate(&mut function));
        assert_eq!(
            function.blocks[0].code,
            assemble("mov 1 0; addi 3 0 1; addi 0 0 1; addi 4 1 1")
        );
    }

    #[test]
    fn a_result_is_computed_where_it_goes() {
        let mut function = blocks(vec![End::Jump(0)]);
        function.params = vec![0];
        function.blocks[0].code = assemble("addi 5 0 1; xori 6 2 3; mov 0 5");
        assert!(propagate(&mut function));
        assert_eq!(function.blocks[0].code, assemble("addi 0 0 1; xori 6 2 3"));
    }

    #[test]
    fn a_result_stays_where_its_target_is_read_between() {
        let mut function = blocks(vec![End::Jump(0)]);
        function.params = vec![0];
        let code = assemble("addi 5 0 1; xori 6 0 3; mov 0 5");
        function.blocks[0].code = code.clone();
        assert!(!propagate(&mut function));
        assert_eq!(function.blocks[0].code, code);
    }
}
