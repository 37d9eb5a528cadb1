//! Jump threading: where it is known on the way into a small block which way its condition goes, that way gets the block's
//! instructions and goes straight on (Muchnick, "Advanced Compiler Design and Implementation", 18.5; LLVM's `JumpThreading`). Who
//! asks what another routine has found, as `while let Some(x) = it.next()` does, needs neither to keep the answer nor to ask.
//!
//! Instructions are only moved to the paths that run them, so none runs more often than before. A word that is written once
//! still is written on every path to its uses, as every path through a copy was one through the block.

mod bypass;
mod path;
mod unfold;

use crate::ir::definitions::constants;
use crate::ir::flow::{Shape, Shortcut, predecessors};
use crate::ir::liveness::Liveness;
use crate::ir::{Block, End, Function, Word};
use crate::isa::Op;
use crate::pass::duplicate::copy;
use path::Facts;

/// Instructions of all blocks together that one way may get.
const LARGEST: usize = 24;

/// Turns over all blocks: what one brings about is looked at in the next.
const TURNS: usize = 8;

/// How many instructions threading may add to a function in all.
pub(crate) fn room(function: &Function) -> usize {
    function.size() / 2 + 64
}

/// Threads jumps as long as there is room; whether there were any.
pub(crate) fn thread(function: &mut Function, room: &mut usize) -> bool {
    let mut changed = false;
    for _ in 0..TURNS {
        if !turn(function, room) {
            break;
        }
        changed = true;
    }
    changed
}

/// One look at every edge.
fn turn(function: &mut Function, room: &mut usize) -> bool {
    if !function.blocks.iter().any(|block| is_branch(&block.end)) {
        return false;
    }
    let mut threading = Threading::of(function);
    let mut changed = false;
    for from in 0..threading.shape.rank.len() {
        if threading.shape.rank[from] == usize::MAX {
            continue;
        }
        changed |= threading.decide(function, from);
        let mut ways: Vec<usize> = function.blocks[from].end.successors().collect();
        ways.dedup();
        for to in ways {
            // What is known on the only way to a block is known at its end too.
            if threading.before[to].len() == 1 {
                continue;
            }
            let Some(way) = threading.way(function, from, to, *room, changed) else {
                continue;
            };
            *room -= way.added;
            threading.take(function, from, to, &way);
            changed = true;
            if way.turns_loop {
                return true;
            }
        }
    }
    changed || threading.unfold(function, *room) || threading.bypass(function, room)
}

fn is_branch(end: &End) -> bool {
    matches!(end, End::Branch { .. })
}

/// What is known of a function as a turn begins. Threading does not make it wrong: words are needed in fewer places and loops have
/// fewer blocks, and what makes a new loop ends the turn.
struct Threading {
    shape: Shape,
    constants: Vec<Option<u32>>,
    live: Liveness,
    /// Each block's predecessors, new blocks among them.
    before: Vec<Vec<usize>>,
}

/// Blocks to go through from an edge on, the last of which asks what is known, and where that leads.
struct Way {
    through: Vec<usize>,
    to: usize,
    /// Instructions that it copies.
    added: usize,
    /// Whether it makes a loop that starts where it leads to.
    turns_loop: bool,
}

/// A place on the way from an edge on whose condition is known.
struct Known {
    /// Blocks that the way goes through, this one among them.
    blocks: usize,
    /// Where it leads.
    to: usize,
    /// Instructions so far.
    added: usize,
}

impl Threading {
    fn of(function: &Function) -> Threading {
        Threading {
            shape: Shape::of(function),
            constants: constants(function),
            live: Liveness::of(function),
            before: predecessors(function),
        }
    }

    fn facts<'f>(&'f self, function: &'f Function) -> Facts<'f> {
        Facts {
            function,
            constants: &self.constants,
            before: &self.before,
        }
    }

    /// Lets a block that asks what is known on the only way to it jump; whether it does.
    fn decide(&mut self, function: &mut Function, block: usize) -> bool {
        let Some(to) = self.facts(function).path(block).decided() else {
            return false;
        };
        let others = function.blocks[block].end.successors().filter(|&other| other != to);
        for other in others {
            self.before[other].retain(|&before| before != block);
        }
        function.blocks[block].end = End::Jump(to);
        true
    }

    /// The furthest way from an edge on whose end is known. In a function that is `changed` already it turns no loop.
    fn way(&self, function: &Function, from: usize, to: usize, room: usize, changed: bool) -> Option<Way> {
        let (through, known) = self.known(function, from, to, room);
        known.into_iter().rev().find_map(|Known { blocks, to, added }| {
            let through = &through[..blocks];
            let turns_loop = match self.shortcut(from, through, to)? {
                Shortcut::Plain => false,
                Shortcut::Turns if !changed && self.stays(function, through[0], to, room) => true,
                Shortcut::Turns | Shortcut::Enters => return None,
            };
            Some(Way {
                through: through.to_vec(),
                to,
                added,
                turns_loop,
            })
        })
    }

    /// The blocks that an edge leads through, and where its condition is known on that way.
    fn known(&self, function: &Function, from: usize, to: usize, room: usize) -> (Vec<usize>, Vec<Known>) {
        let mut path = self.facts(function).path(from);
        let mut through: Vec<usize> = Vec::new();
        let (mut found, mut added, mut next) = (Vec::new(), 0, to);
        while next != from && next < self.shape.rank.len() && !through.contains(&next) {
            let block = &function.blocks[next];
            added += block.code.len();
            if added > LARGEST.min(room) || block.code.iter().any(|inst| inst.op == Op::Call) {
                break;
            }
            through.push(next);
            path.blocks.push(next);
            next = match block.end {
                End::Jump(to) => to,
                End::Branch { .. } => {
                    let Some(to) = path.decided() else { break };
                    found.push(Known {
                        blocks: through.len(),
                        to,
                        added,
                    });
                    to
                }
                _ => break,
            };
        }
        (through, found)
    }

    /// What a way does to the loops, if it leads to a block that was there when the turn began.
    fn shortcut(&self, from: usize, through: &[usize], to: usize) -> Option<Shortcut> {
        (to < self.shape.rank.len()).then(|| self.shape.shortcut(from, through, to))
    }

    /// Whether whatever comes back to a loop's header from a block of the loop knows that it goes there again. Then a loop of its own is left
    /// for good, as that over the second of two ranges. A state machine is left for its next state: as loops within loops, VMs in different
    /// states would hardly ever come together again. (LLVM threads through no header at all.)
    fn stays(&self, function: &Function, header: usize, block: usize, room: usize) -> bool {
        let mut seen = vec![false; self.shape.rank.len()];
        let mut open = vec![block];
        while let Some(at) = open.pop() {
            if at >= seen.len() || at == header || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            for next in function.blocks[at].end.successors() {
                let again = || {
                    let (_, known) = self.known(function, at, header, room);
                    known.iter().any(|known| known.to == block)
                };
                if next == header && !again() {
                    return false;
                }
                open.push(next);
            }
        }
        true
    }

    /// Gives a way what it goes through.
    fn take(&mut self, function: &mut Function, from: usize, first: usize, way: &Way) {
        let live: Vec<Word> = self.live.at_start(way.to).collect();
        let mut copied = Block {
            code: Vec::new(),
            end: End::Jump(way.to),
            place: function.blocks[from].place,
            marks: Vec::new(),
        };
        let mut names = Vec::new();
        for &block in &way.through {
            let lives_on = |word: Word| live.binary_search(&word).is_ok();
            copied.append(copy(function, block, lives_on, &mut names));
        }
        copied.end = End::Jump(way.to);
        self.before[first].retain(|&before| before != from);
        if copied.code.is_empty() && copied.marks.is_empty() {
            let end = &mut function.blocks[from].end;
            end.retarget(|to| if to == first { way.to } else { to });
            self.before[way.to].push(from);
        } else if is_branch(&function.blocks[from].end) {
            let new = function.blocks.len();
            let end = &mut function.blocks[from].end;
            end.retarget(|to| if to == first { new } else { to });
            function.blocks.push(copied);
            self.before.push(vec![from]);
            self.before[way.to].push(new);
        } else {
            function.blocks[from].append(copied);
            self.before[way.to].push(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Inst;
    use crate::ir::testing::{assemble, blocks};

    fn branch(word: Word, then: usize, otherwise: usize) -> End {
        End::Branch { word, then, otherwise }
    }

    fn threaded(function: &mut Function) -> bool {
        let mut room = room(function);
        let changed = thread(function, &mut room);
        crate::pass::blocks::drop_unreachable(function);
        changed
    }

    /// `let (tag, value) = if 0 { (1, 1) } else { (0, _) }; if tag == 1 { value } else { 7 }`, with tag and value in 2 and 3.
    fn option(tag: &str) -> Function {
        let mut function = blocks(vec![
            branch(0, 1, 2),
            End::Jump(3),
            End::Jump(3),
            branch(5, 4, 5),
            End::Return(vec![3]),
            End::Return(vec![6]),
        ]);
        function.params = vec![0, 1];
        function.blocks[1].code = assemble("imm 2 1; mov 3 1");
        function.blocks[2].code = assemble("imm 2 0");
        function.blocks[3].code = assemble(tag);
        function.blocks[5].code = assemble("imm 6 7");
        function
    }

    #[test]
    fn an_answer_that_is_known_is_not_asked_for() {
        for tag in [
            "imm 4 1; eq 5 2 4",
            "imm 4 0; ne 5 4 2",
            "mov 4 2; xori 4 4 6; imm 7 7; eq 5 4 7",
            "mov 5 2",
        ] {
            let mut function = option(tag);
            assert!(threaded(&mut function));
            let branches = function.blocks.iter().filter(|block| is_branch(&block.end));
            assert_eq!(branches.count(), 1, "{tag}");
            assert!(!threaded(&mut function));
        }
    }

    #[test]
    fn words_of_a_copy_that_nobody_reads_later_are_its_own() {
        let mut function = option("imm 4 1; eq 5 2 4");
        threaded(&mut function);
        let code = function.blocks.iter().flat_map(|block| &block.code);
        let mut written: Vec<Word> = code.flat_map(Inst::defs).collect();
        written.sort_unstable();
        assert_eq!(written, [2, 2, 3, 4, 5, 6, 64, 65]);
    }

    #[test]
    fn a_branch_tells_what_a_word_holds() {
        // 0 asks whether 0 is 5; 3, where both ways meet, asks it again, and whether it is 6.
        let mut function = blocks(vec![
            branch(3, 1, 2),
            End::Jump(3),
            End::Jump(3),
            branch(6, 4, 5),
            End::Return(vec![3]),
            End::Halt,
        ]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("imm 2 5; eq 3 0 2");
        function.blocks[1].code = assemble("addi 1 1 1");
        function.blocks[2].code = assemble("addi 1 1 2");
        function.blocks[3].code = assemble("imm 5 5; eq 6 0 5; imm 5 5");
        assert!(threaded(&mut function));
        assert_eq!(function.blocks.iter().filter(|block| is_branch(&block.end)).count(), 1);
    }

    #[test]
    fn a_chain_of_questions_is_answered_at_once() {
        // 0 sets the word 1 to 9, and 1, 2 and 3 ask whether it is 5, 6 and 7: each answer says what it is not.
        let mut function = blocks(vec![
            End::Jump(1),
            branch(3, 5, 2),
            branch(4, 5, 3),
            branch(5, 5, 4),
            End::Return(vec![0]),
            End::Halt,
            End::Jump(1),
        ]);
        function.params = vec![0];
        function.blocks[0].code = assemble("imm 1 9");
        for (block, code) in [
            (1, "imm 2 5; eq 3 1 2"),
            (2, "imm 2 6; eq 4 1 2"),
            (3, "imm 2 7; eq 5 1 2"),
        ] {
            function.blocks[block].code = assemble(code);
        }
        let mut room = room(&function);
        assert!(turn(&mut function, &mut room));
        assert_eq!(function.blocks[0].end, End::Jump(4));
    }

    #[test]
    fn what_something_is_less_than_is_not_0() {
        // 1 asks whether the word 0 is more than 0. Where the word 1 is less than that, it is.
        for (asked, branches) in [("ltu 3 1 0", 1), ("ltu 3 0 1", 2)] {
            let mut function = blocks(vec![
                branch(3, 1, 2),
                branch(4, 3, 2),
                End::Return(vec![0]),
                End::Return(vec![1]),
            ]);
            function.params = vec![0, 1];
            function.blocks[0].code = assemble(asked);
            function.blocks[1].code = assemble("imm 5 0; ltu 4 5 0; vmid 1");
            threaded(&mut function);
            assert_eq!(
                function.blocks.iter().filter(|block| is_branch(&block.end)).count(),
                branches
            );
        }
    }

    #[test]
    fn what_is_written_on_the_way_is_not_known() {
        let mut function = option("mov 5 1; addi 2 2 1; mov 5 1");
        assert!(!threaded(&mut function));
        // Between the branch on 5 and the one on 6, 0 is written.
        let mut function = blocks(vec![branch(3, 1, 2), End::Jump(2), branch(6, 3, 3), End::Halt]);
        function.params = vec![0, 1];
        function.blocks[0].code = assemble("imm 2 5; eq 3 0 2");
        function.blocks[1].code = assemble("vmid 0");
        function.blocks[2].code = assemble("imm 5 5; eq 6 0 5");
        function.blocks[2].end = branch(6, 3, 4);
        function.blocks.push(function.blocks[3].clone());
        assert!(threaded(&mut function));
        assert_eq!(function.blocks.iter().filter(|block| is_branch(&block.end)).count(), 2);
    }

    #[test]
    fn large_blocks_are_not_copied() {
        let filler = "addi 1 1 1;".repeat(LARGEST);
        let mut function = option(&format!("{filler} imm 4 1; eq 5 2 4"));
        assert!(!threaded(&mut function));
    }

    #[test]
    fn a_loop_is_not_entered_in_its_midst() {
        // 1 is the header, which is known to go on in the first turn.
        let mut function = blocks(vec![End::Jump(1), branch(2, 2, 3), End::Jump(1), End::Return(vec![0])]);
        function.params = vec![0];
        function.blocks[0].code = assemble("imm 1 9");
        function.blocks[1].code = assemble("mov 2 1");
        function.blocks[2].code = assemble("add 0 0 1; addi 1 1 -1");
        assert!(!threaded(&mut function));
    }

    #[test]
    fn a_loop_that_is_known_to_end_is_left_at_once() {
        // A loop that sets a flag, 1, and asks it at its start.
        let mut function = blocks(vec![
            End::Jump(1),
            branch(1, 2, 4),
            branch(0, 3, 1),
            End::Jump(1),
            End::Return(vec![0]),
        ]);
        function.params = vec![0];
        function.blocks[0].code = assemble("vmid 1");
        function.blocks[2].code = assemble("addi 0 0 -1");
        function.blocks[3].code = assemble("imm 1 0");
        assert!(threaded(&mut function));
        let leaves = function.blocks.iter().filter(|block| block.end == End::Jump(4));
        assert_eq!(leaves.count(), 1);
    }

    #[test]
    fn a_loop_that_is_known_to_stay_as_it_is_asks_once() {
        // 1 asks a flag that stays set until 3 unsets it: a loop of 2 alone, and then one of 4.
        let mut function = blocks(vec![
            End::Jump(1),
            branch(1, 2, 4),
            branch(0, 1, 3),
            End::Jump(1),
            branch(0, 1, 5),
            End::Return(vec![0]),
        ]);
        function.params = vec![0];
        function.blocks[0].code = assemble("imm 1 1");
        function.blocks[2].code = assemble("addi 0 0 -1");
        function.blocks[3].code = assemble("imm 1 0; vmid 0");
        function.blocks[4].code = assemble("addi 0 0 -2");
        assert!(threaded(&mut function));
        assert!(!asks(&function, 1), "{:?}", function.blocks);
    }

    /// Whether some block goes one way or the other by a word.
    fn asks(function: &Function, asked: Word) -> bool {
        let mut ends = function.blocks.iter().map(|block| &block.end);
        ends.any(|end| matches!(end, End::Branch { word, .. } if *word == asked))
    }

    #[test]
    fn a_state_machine_stays_one_loop() {
        // 1 asks for the state, 1. The state of 2 stays what it is or becomes that of 4, which is any; that of 3 is never left.
        let mut function = blocks(vec![
            End::Jump(1),
            branch(1, 2, 3),
            branch(0, 1, 4),
            branch(0, 1, 5),
            End::Jump(1),
            End::Return(vec![0]),
        ]);
        function.params = vec![0];
        function.blocks[0].code = assemble("vmid 1");
        function.blocks[2].code = assemble("addi 0 0 -1");
        function.blocks[3].code = assemble("addi 0 0 -3");
        function.blocks[4].code = assemble("vmid 1");
        assert!(threaded(&mut function));
        let own = |b: usize| function.blocks[b].end.successors().any(|to| to == b);
        assert_eq!([2, 3].map(own), [false, true], "{:?}", function.blocks);
    }

    #[test]
    fn what_all_ways_know_is_known() {
        // 5 asks for 2, which is set on both ways, after a loop, 4, that leaves it alone.
        for (turn, branches) in [("addi 1 1 -1", 2), ("addi 1 1 -1; mov 2 1", 3)] {
            let mut function = blocks(vec![
                branch(0, 1, 2),
                End::Jump(3),
                End::Jump(3),
                End::Jump(4),
                branch(1, 4, 5),
                branch(2, 6, 7),
                End::Return(vec![3]),
                End::Halt,
            ]);
            function.params = vec![0, 1];
            function.blocks[1].code = assemble("imm 2 1");
            function.blocks[2].code = assemble("imm 2 7");
            function.blocks[4].code = assemble(turn);
            assert_eq!(threaded(&mut function), branches == 2);
            assert_eq!(
                function.blocks.iter().filter(|block| is_branch(&block.end)).count(),
                branches
            );
        }
    }

    #[test]
    fn threading_ends_when_room_is_used_up() {
        let mut function = option("imm 4 1; eq 5 2 4");
        let mut room = 3;
        assert!(thread(&mut function, &mut room));
        assert!(room < 3 && !thread(&mut function, &mut room));
    }
}
