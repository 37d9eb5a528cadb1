//! Simplifies the graph of blocks: jumps to jumps, blocks never reached, blocks that always follow one another.

use crate::ir::flow::{Shape, Shortcut, predecessors};
use crate::ir::names::Mark;
use crate::ir::{Block, End, Function};

/// Simplifies; whether anything changed.
pub(crate) fn simplify(function: &mut Function) -> bool {
    let mut changed = thread(function);
    changed |= merge(function);
    changed |= drop_unreachable(function);
    changed
}

/// Blocks that follow a chain of empty blocks at most: longer chains are circles.
const CHAIN: usize = 32;

/// Skips blocks without code: a jump to one becomes its end, a branch to one goes where it goes.
fn thread(function: &mut Function) -> bool {
    let mut changed = false;
    let mut loops = Loops::default();
    for b in 0..function.blocks.len() {
        for _ in 0..CHAIN {
            let End::Jump(to) = function.blocks[b].end else {
                break;
            };
            let target = &function.blocks[to];
            if to == b || !target.code.is_empty() || target.end == End::Jump(to) {
                break;
            }
            if let End::Branch { then, otherwise, .. } = target.end
                && !loops.may_skip(function, b, &[to], &[then, otherwise])
            {
                break;
            }
            // The block's own place stays where it only jumps on; anything else is told apart by the target's line.
            if !matches!(target.end, End::Jump(_)) {
                function.blocks[b].place = function.blocks[to].place;
            }
            function.blocks[b].end = function.blocks[to].end.clone();
            let marks = function.blocks[to].marks.clone();
            function.blocks[b].mark_end(marks);
            changed = true;
        }
        if let End::Branch { word, then, otherwise } = function.blocks[b].end {
            let then = skip(function, &mut loops, b, then, word, true);
            let otherwise = skip(function, &mut loops, b, otherwise, word, false);
            let end = if then == otherwise {
                End::Jump(then)
            } else {
                End::Branch { word, then, otherwise }
            };
            changed |= function.blocks[b].end != end;
            function.blocks[b].end = end;
        }
    }
    changed
}

/// As [`follow`], after which what the blocks on the way say of variables is not known where the way leads: other ways may lead there.
fn skip(function: &mut Function, loops: &mut Loops, from: usize, block: usize, word: u32, set: bool) -> usize {
    let (to, past) = follow(function, loops, from, block, word, set);
    let skipped = past.iter().filter(|&&past| past != to);
    let marks = skipped
        .flat_map(|&past| &function.blocks[past].marks)
        .map(Mark::nowhere);
    let marks: Vec<Mark> = marks.collect();
    function.blocks[to].marks.splice(0..0, marks);
    to
}

/// Where control gets to from an empty block after `from`, knowing whether `word` is set; and the blocks without code
/// that it came by.
fn follow(
    function: &Function,
    loops: &mut Loops,
    from: usize,
    mut block: usize,
    word: u32,
    set: bool,
) -> (usize, Vec<usize>) {
    let mut past = Vec::new();
    for _ in 0..CHAIN {
        let at = &function.blocks[block];
        if !at.code.is_empty() {
            break;
        }
        past.push(block);
        block = match at.end {
            End::Jump(to) => to,
            End::Branch {
                word: same,
                then,
                otherwise,
            } if same == word => {
                let to = if set { then } else { otherwise };
                if !loops.may_skip(function, from, &past, &[to]) {
                    break;
                }
                to
            }
            _ => break,
        };
    }
    (block, past)
}

/// The loops of a function, looked at once they are asked for.
#[derive(Default)]
struct Loops(Option<Shape>);

impl Loops {
    /// Whether control may go from a block straight to others, to which these blocks lead it. Then it does.
    fn may_skip(&mut self, function: &Function, from: usize, past: &[usize], to: &[usize]) -> bool {
        let shape = self.0.get_or_insert_with(|| Shape::of(function));
        let reached = |block: usize| shape.rank[block] != usize::MAX;
        if !reached(from) {
            return false;
        }
        let shortcuts: Vec<Shortcut> = to.iter().map(|&to| shape.shortcut(from, past, to)).collect();
        // Fewer ways into and through loops do not make what is known of them wrong, but a new loop does.
        if shortcuts.contains(&Shortcut::Turns) {
            self.0 = None;
        }
        !shortcuts.contains(&Shortcut::Enters)
    }
}

/// Appends blocks to their only predecessor if they are its only successor.
fn merge(function: &mut Function) -> bool {
    let before = predecessors(function);
    let mut changed = false;
    for b in 0..function.blocks.len() {
        while let End::Jump(to) = function.blocks[b].end {
            if to == b || to == 0 || before[to].len() != 1 {
                break;
            }
            let place = function.blocks[to].place;
            let next = Block {
                code: std::mem::take(&mut function.blocks[to].code),
                end: std::mem::replace(&mut function.blocks[to].end, End::Halt),
                place,
                marks: std::mem::take(&mut function.blocks[to].marks),
            };
            function.blocks[b].append(next);
            changed = true;
        }
    }
    changed
}

/// Removes blocks that no path from the entry reaches and numbers the others anew, in an order that follows control.
pub(crate) fn drop_unreachable(function: &mut Function) -> bool {
    let order = crate::ir::flow::reverse_postorder(function);
    if order.len() == function.blocks.len() {
        return false;
    }
    let mut number = vec![0; function.blocks.len()];
    for (new, &old) in order.iter().enumerate() {
        number[old] = new;
    }
    let mut old: Vec<_> = std::mem::take(&mut function.blocks).into_iter().map(Some).collect();
    function.blocks = order.iter().filter_map(|&b| old[b].take()).collect();
    for block in &mut function.blocks {
        block.end.retarget(|to| number[to]);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::testing::{assemble, blocks};

    #[test]
    fn a_row_of_blocks_becomes_one() {
        let mut function = blocks(vec![End::Jump(2), End::Halt, End::Jump(3), End::Return(vec![0])]);
        function.blocks[2].code = assemble("addi 0 0 1");
        function.blocks[3].code = assemble("addi 0 0 2");
        assert!(simplify(&mut function));
        assert_eq!(function.blocks.len(), 1);
        assert_eq!(function.blocks[0].code, assemble("addi 0 0 1; addi 0 0 2"));
        assert_eq!(function.blocks[0].end, End::Return(vec![0]));
    }

    #[test]
    fn a_condition_known_from_the_branch_before_is_not_asked_again() {
        // `if a && b`: block 2 asks the word that block 0 found to be 0.
        let mut function = blocks(vec![
            End::Branch {
                word: 0,
                then: 1,
                otherwise: 2,
            },
            End::Jump(2),
            End::Branch {
                word: 0,
                then: 3,
                otherwise: 4,
            },
            End::Return(vec![0]),
            End::Halt,
        ]);
        function.blocks[1].code = assemble("mov 0 1");
        function.blocks[3].code = assemble("vmid 0");
        function.blocks[4].code = assemble("stf 0 0");
        assert!(simplify(&mut function));
        assert_eq!(function.blocks.len(), 4);
        assert!(
            function
                .blocks
                .iter()
                .all(|block| !block.code.is_empty() || matches!(block.end, End::Branch { .. }))
        );
    }

    #[test]
    fn a_loop_keeps_its_only_entry() {
        // `while a { if b { … } else { … } }`, entered where `a` is known to be set: 1 is the header, 2 and 3 go back to it.
        let branch = |word, then, otherwise| End::Branch { word, then, otherwise };
        let mut function = blocks(vec![
            branch(0, 1, 5),
            branch(0, 2, 5),
            branch(1, 3, 4),
            branch(2, 1, 5),
            End::Jump(1),
            End::Halt,
        ]);
        for b in [2, 3, 4] {
            function.blocks[b].code = assemble("addi 2 2 1");
        }
        simplify(&mut function);
        let shape = Shape::of(&function);
        assert!(shape.is_reducible(&function));
    }

    #[test]
    fn empty_loops_stay() {
        let mut function = blocks(vec![End::Jump(1), End::Jump(2), End::Jump(1)]);
        simplify(&mut function);
        assert!(!function.blocks.is_empty());
        assert!(function.blocks.iter().all(|block| matches!(block.end, End::Jump(_))));
    }
}
