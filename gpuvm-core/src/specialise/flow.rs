//! A program's control flow: its code cut into basic blocks, and what follows from their order.

use std::collections::HashSet;

use crate::isa::{Instruction, Op, Role, unpair};
use crate::matrix::{CONSTANT, read_record};
use crate::program::Program;

use super::counted::Counted;

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The number of its first instruction.
    pub start: u32,
    /// One past its last instruction. A jump, call or stop at the end is the block's [`Exit`] as well.
    pub end: u32,
    /// Where it goes.
    pub exit: Exit,
}

/// How a block ends. Numbers of blocks are indices into [`Flow::blocks`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// On to one block.
    Goto(usize),
    /// To one of two, by whether a word is 0.
    Branch {
        /// The word.
        word: u32,
        /// Where to if it is not 0.
        accept: usize,
        /// Where to if it is 0.
        reject: usize,
    },
    /// To one of several, by a word. [`Flow::with_switches`] makes these.
    Switch {
        /// The word.
        word: u32,
        /// Its values, in ascending order, and where each leads to.
        cases: Vec<(u32, usize)>,
        /// Where all others lead to.
        default: usize,
    },
    /// To one of two, by whether a loop whose header would be next is sure to begin so many iterations.
    Ahead {
        /// How the loop counts.
        counted: Counted,
        /// The number of iterations.
        turns: u32,
        /// Where to if it is.
        accept: usize,
        /// Where to if it is not.
        reject: usize,
    },
    /// The VM pauses, and goes on with the block when the launch does.
    Yield(usize),
    /// The VM pauses, and goes on elsewhere.
    Pause,
    /// The VM is done.
    Halt,
    /// The last instruction traps.
    Trap,
    /// The next instruction, whose number this is, does not exist.
    Outside(u32),
    /// Into a routine that comes back to another block.
    Call {
        /// The routine's first block.
        callee: usize,
        /// Where it comes back to.
        back: usize,
        /// Frame words of the caller.
        words: u32,
    },
    /// Back to whoever called; without a caller the VM is done.
    Return,
}

impl Exit {
    /// The blocks that it names, in order; one that several cases of a switch lead to only once.
    pub fn targets(&self) -> impl Iterator<Item = usize> + '_ {
        let (first, second, cases): (_, _, &[_]) = match *self {
            Exit::Goto(to) | Exit::Yield(to) => (Some(to), None, &[]),
            Exit::Branch { accept, reject, .. } | Exit::Ahead { accept, reject, .. } => {
                (Some(accept), Some(reject), &[])
            }
            Exit::Switch { ref cases, default, .. } => (None, Some(default), cases),
            Exit::Call { callee, back, .. } => (Some(callee), Some(back), &[]),
            Exit::Halt | Exit::Pause | Exit::Trap | Exit::Outside(_) | Exit::Return => (None, None, &[]),
        };
        let is_first = move |&(i, &(_, to)): &(usize, &(u32, usize))| {
            Some(to) != second && cases[..i].iter().all(|&(_, before)| before != to)
        };
        let cases = cases.iter().enumerate().filter(is_first).map(|(_, &(_, to))| to);
        first.into_iter().chain(cases).chain(second)
    }

    /// Replaces the blocks that it names.
    pub fn map(&mut self, mut to: impl FnMut(usize) -> usize) {
        match self {
            Exit::Goto(next) | Exit::Yield(next) => *next = to(*next),
            Exit::Branch { accept, reject, .. } | Exit::Ahead { accept, reject, .. } => {
                *accept = to(*accept);
                *reject = to(*reject);
            }
            Exit::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, target)| *target = to(*target));
                *default = to(*default);
            }
            Exit::Call { callee, back, .. } => {
                *callee = to(*callee);
                *back = to(*back);
            }
            Exit::Halt | Exit::Pause | Exit::Trap | Exit::Outside(_) | Exit::Return => {}
        }
    }
}

/// The blocks of a program; the first is its entry.
#[derive(Clone, Debug)]
pub struct Flow {
    /// All blocks that can be reached, and no others.
    pub blocks: Vec<Block>,
    /// Whether a call remains.
    pub calls: bool,
}

impl Flow {
    /// Cuts a program's code into blocks.
    pub fn new(program: &Program) -> Flow {
        Flow::cut_at(program, [])
    }

    /// The same where blocks begin at some instructions too, if these can be reached.
    pub fn cut_at(program: &Program, instructions: impl IntoIterator<Item = u32>) -> Flow {
        let mut starts = starts(program);
        for at in instructions {
            if let Some(start) = starts.get_mut(at as usize) {
                *start = true;
            }
        }
        let mut number = vec![usize::MAX; program.code.len() + 1];
        let mut flow = Flow {
            blocks: Vec::new(),
            calls: false,
        };
        // Blocks get their numbers in the order in which they are found.
        let mut found: Vec<u32> = vec![0];
        number[0] = 0;
        starts[0] = true;
        let mut next = 0;
        while next < found.len() {
            let start = found[next];
            next += 1;
            let mut end = start;
            let mut numbered = |label: u32| {
                let label = label.min(program.code.len() as u32);
                let place = &mut number[label as usize];
                if *place == usize::MAX {
                    *place = found.len();
                    found.push(label);
                }
                *place
            };
            let exit = loop {
                let Some(op) = op_at(program, end) else {
                    break Exit::Outside(end);
                };
                let [a, b, ..] = program.code[end as usize].operands;
                end += 1;
                match op {
                    Op::Jump => break Exit::Goto(numbered(a)),
                    Op::JumpIf | Op::JumpUnless => {
                        let (label, following) = (numbered(a), numbered(end));
                        let (accept, reject) = if op == Op::JumpIf {
                            (label, following)
                        } else {
                            (following, label)
                        };
                        break match accept == reject {
                            true => Exit::Goto(accept),
                            false => Exit::Branch {
                                word: b,
                                accept,
                                reject,
                            },
                        };
                    }
                    Op::Call => {
                        flow.calls = true;
                        break Exit::Call {
                            callee: numbered(a),
                            back: numbered(end),
                            words: b,
                        };
                    }
                    // Who would write out so many ways leaves the program to an interpreter (`has_switch`).
                    Op::Switch => break Exit::Outside(end),
                    Op::Return => break Exit::Return,
                    Op::Halt => break Exit::Halt,
                    Op::Trap => break Exit::Trap,
                    op if op.pauses() => break Exit::Yield(numbered(end)),
                    _ if starts[end as usize] => break Exit::Goto(numbered(end)),
                    _ => {}
                }
            };
            flow.blocks.push(Block { start, end, exit });
        }
        flow
    }

    /// The same where VMs that yield do not come back.
    pub fn without_return_from_yields(mut self) -> Flow {
        for block in &mut self.blocks {
            if let Exit::Yield(_) = block.exit {
                block.exit = Exit::Pause;
            }
        }
        self
    }

    /// The instructions of a block, without the one that is its exit, each with its number.
    pub fn straight<'a>(&self, block: usize, program: &'a Program) -> impl Iterator<Item = (u32, Op, &'a Instruction)> {
        let Block { start, end, ref exit } = self.blocks[block];
        let ends = match exit {
            Exit::Outside(_) | Exit::Ahead { .. } => false,
            Exit::Goto(_) => {
                end > start && matches!(op_at(program, end - 1), Some(Op::Jump | Op::JumpIf | Op::JumpUnless))
            }
            _ => true,
        };
        (start..end - u32::from(ends))
            .filter_map(move |ip| Some((ip, op_at(program, ip)?, program.code.get(ip as usize)?)))
    }

    /// How many words a block loads, `None` if it does anything that a load must not be moved across.
    pub fn early_loads(&self, block: usize, program: &Program) -> Option<u32> {
        let mut loads = 0;
        for (_, op, _) in self.straight(block, program) {
            match op {
                Op::Load => loads += 1,
                op if op.code() >= Op::Load.code()
                    && !matches!(
                        op,
                        Op::LoadFrame | Op::Param | Op::ParamLen | Op::VmId | Op::VmCount | Op::TrapIf
                    ) =>
                {
                    return None;
                }
                _ => {}
            }
        }
        Some(loads)
    }

    /// The blocks in reverse postorder, and each block's place in it.
    pub fn order(&self) -> (Vec<usize>, Vec<usize>) {
        let mut order = Vec::with_capacity(self.blocks.len());
        let mut seen = vec![false; self.blocks.len()];
        let mut stack = vec![(0, self.targets(0))];
        seen[0] = true;
        while let Some((block, left)) = stack.last_mut() {
            match left.pop() {
                Some(to) if !seen[to] => {
                    seen[to] = true;
                    stack.push((to, self.targets(to)));
                }
                Some(_) => {}
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut places = vec![usize::MAX; self.blocks.len()];
        for (place, &block) in order.iter().enumerate() {
            places[block] = place;
        }
        (order, places)
    }

    fn targets(&self, block: usize) -> Vec<usize> {
        self.blocks[block].exit.targets().collect()
    }

    /// For each block, the words whose values matter when it begins.
    pub fn live(&self, program: &Program) -> Vec<u32> {
        self.live_with(program, |_| 0)
    }

    /// The same where somebody else asks for words, given as bits, when a block begins that starts with an instruction.
    pub fn live_with(&self, program: &Program, asked: impl Fn(u32) -> u32) -> Vec<u32> {
        let mut used = vec![0; self.blocks.len()];
        let mut made = vec![0; self.blocks.len()];
        for (block, Block { start, end, .. }) in self.blocks.iter().enumerate() {
            used[block] = asked(*start);
            for ip in *start..*end {
                let (uses, defs) = words_of(program, ip);
                used[block] |= uses & !made[block];
                made[block] |= defs;
            }
        }
        let mut live = used.clone();
        let (order, _) = self.order();
        loop {
            let mut changed = false;
            for &block in order.iter().rev() {
                let after = self.blocks[block].exit.targets().fold(0, |after, to| after | live[to]);
                let before = used[block] | after & !made[block];
                changed |= before != live[block];
                live[block] = before;
            }
            if !changed {
                return live;
            }
        }
    }

    /// The words whose values matter in front of an instruction; all of them where none is.
    pub fn live_before(&self, program: &Program, at: u32) -> u32 {
        let live = self.live(program);
        let found = self.blocks.iter().find(|block| (block.start..block.end).contains(&at));
        found.map_or(u32::MAX, |Block { end, exit, .. }| {
            let after = exit.targets().fold(0, |after, to| after | live[to]);
            (at..*end).rev().fold(after, |matters, ip| {
                let (uses, defs) = words_of(program, ip);
                matters & !defs | uses
            })
        })
    }

    /// The instructions that make words which nobody reads, given the words that matter when each block begins.
    pub fn unread(&self, program: &Program, live: &[u32]) -> HashSet<u32> {
        let mut unread = HashSet::new();
        for Block { start, end, exit } in &self.blocks {
            let mut matters = exit.targets().fold(0, |after, to| after | live[to]);
            for ip in (*start..*end).rev() {
                let (uses, defs) = words_of(program, ip);
                if defs != 0 && defs & matters == 0 {
                    unread.insert(ip);
                }
                matters = matters & !defs | uses;
            }
        }
        unread
    }
}

/// The operation of an instruction, `None` outside of the code and for a number that is none.
pub fn op_at(program: &Program, ip: u32) -> Option<Op> {
    Op::from_code(program.code.get(ip as usize)?.opcode)
}

/// Where blocks begin: at labels and behind what does not simply go on.
fn starts(program: &Program) -> Vec<bool> {
    let mut starts = vec![false; program.code.len() + 1];
    for (ip, instruction) in program.code.iter().enumerate() {
        let Some(op) = Op::from_code(instruction.opcode) else {
            continue;
        };
        if op.roles()[0] == Role::Label {
            starts[(instruction.operands[0] as usize).min(program.code.len())] = true;
        }
        starts[ip + 1] |= op.effect() == crate::isa::Effect::Control;
    }
    starts
}

/// The words that an instruction reads and writes, as bits.
pub fn words_of(program: &Program, ip: u32) -> (u32, u32) {
    let (mut uses, mut defs) = (0, 0);
    let (Some(op), Some(instruction)) = (op_at(program, ip), program.code.get(ip as usize)) else {
        return (0, 0);
    };
    let bit = |word: u32| if word < 28 { 1 << word } else { 0 };
    for (role, &operand) in op.roles().iter().zip(&instruction.operands) {
        let (low, high) = unpair(operand);
        match role {
            Role::Def => defs |= bit(operand),
            Role::Use => uses |= bit(operand),
            Role::DefPair => defs |= bit(low) | bit(high),
            Role::UsePair => uses |= bit(low) | bit(high),
            _ => {}
        }
    }
    if op == Op::Affine {
        let record = program.matrices.get(instruction.operands[3] as usize);
        for term in record
            .and_then(|record| read_record(record, &program.pools))
            .unwrap_or_default()
            .terms()
        {
            defs |= bit(term.row.into());
            if term.column != CONSTANT {
                uses |= bit(term.column.into());
            }
        }
    }
    (uses, defs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::assemble;

    #[test]
    fn code_is_cut_where_control_goes() {
        let program = assemble(
            "param u32\ncode\nimm w0, 3\nagain:\naddi w0, w0, -1\nyield\njnz @again, w0\nhalt\nimm w9, 1\nhalt",
        );
        let flow = Flow::new(&program.unwrap());
        let ranges: Vec<_> = flow.blocks.iter().map(|block| (block.start, block.end)).collect();
        assert_eq!(ranges, [(0, 1), (1, 3), (3, 4), (4, 5)]);
        let [again, after] = [1, 3];
        assert_eq!(flow.blocks[0].exit, Exit::Goto(again));
        assert_eq!(flow.blocks[1].exit, Exit::Yield(2));
        let branch = Exit::Branch {
            word: 0,
            accept: again,
            reject: after,
        };
        assert_eq!(flow.blocks[2].exit, branch);
        assert_eq!(flow.blocks[after].exit, Exit::Halt);
    }

    #[test]
    fn what_nobody_reads_is_known() {
        let program = assemble(
            "code\nimm w1, 7\nagain:\naadd w2, w1, w1\naadd w3, w1, w1\nadd w1, w1, w3\naadd w3, w1, w1\njnz @again, w1\nhalt",
        )
        .unwrap();
        let flow = Flow::new(&program);
        let live = flow.live(&program);
        let mut unread: Vec<u32> = flow.unread(&program, &live).into_iter().collect();
        unread.sort_unstable();
        assert_eq!(unread, [1, 4]);
    }

    #[test]
    fn words_live_around_a_loop() {
        let text = "code\nimm w0, 3\nimm w1, 9\nagain:\naddi w0, w0, -1\nmov w2, w0\njnz @again, w2\nstf w1, 0\nhalt";
        let program = assemble(text).unwrap();
        let live = Flow::new(&program).live(&program);
        assert_eq!(live, [0, 0b11, 0b10]);
    }
}
