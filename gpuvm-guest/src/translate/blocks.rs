//! Which instructions are translated, and the blocks that they make.
//!
//! Code is followed from the addresses that are known: through jumps, branches and calls, and on behind calls. What is not reached so, and what is past the
//! bound, is left to the emulator.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Instructions of a block at most, so that what is left of a budget is small where a block does not fit it.
pub(super) const MOST_IN_BLOCK: usize = 64;

/// Where control goes behind an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// On.
    Next,
    /// To an address.
    Jump(u32),
    /// To an address, from where it may come back.
    Call(u32),
    /// To an address, or on.
    Branch(u32),
    /// To where a register says; it may come back if it is a call.
    Indirect { call: bool },
    /// To where the register says in which calls leave where they come from.
    Return,
    /// To the host, and on.
    System,
    /// The instruction is the emulator's.
    Leave,
}

/// An instruction of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction<D> {
    pub address: u32,
    pub length: u32,
    pub decoded: D,
    pub flow: Flow,
}

impl<D> Instruction<D> {
    /// The address behind it.
    pub fn next(&self) -> u32 {
        self.address.wrapping_add(self.length)
    }
}

/// Instructions that run one after the other. If control comes to the first, all are retired, but for those behind one that fails, and a last one that is the
/// emulator's.
#[derive(Clone, Debug)]
pub(super) struct Block<D> {
    /// Which program.
    pub program: usize,
    pub code: Vec<Instruction<D>>,
    /// Blocks that follow, with the address of each. An address without a block is the emulator's.
    pub next: Vec<(u32, Option<usize>)>,
}

impl<D> Block<D> {
    pub fn address(&self) -> u32 {
        self.code.first().map_or(0, |first| first.address)
    }

    /// How many instructions are retired if none fails.
    pub fn retired(&self) -> u32 {
        let all = self.code.len() as u32;
        match self.code.last() {
            Some(last) if last.flow == Flow::Leave => all - 1,
            _ => all,
        }
    }
}

/// The blocks of one program, and at which addresses guests may begin with one, as far as they are known.
#[derive(Clone, Debug)]
pub(super) struct Found<D> {
    pub blocks: Vec<Block<D>>,
    pub entries: BTreeSet<u32>,
}

/// Follows the code of a program from some addresses, for so many instructions at most. `end` says where the function ends that an address is in: behind a jump
/// that a register says, all places of it may be jumped to that are not run into from above.
pub(super) fn find<D: Copy>(
    program: usize,
    seeds: impl IntoIterator<Item = u32>,
    most: usize,
    decode: impl Fn(u32) -> Option<Instruction<D>>,
    end: impl Fn(u32) -> Option<u32>,
) -> Found<D> {
    let mut code: BTreeMap<u32, Instruction<D>> = BTreeMap::new();
    let mut leaders = BTreeSet::new();
    let mut entries = BTreeSet::new();
    let mut open = VecDeque::new();
    for seed in seeds {
        entries.insert(seed);
        leaders.insert(seed);
        open.push_back(seed);
    }
    while let Some(start) = open.pop_front() {
        let (mut at, mut count) = (start, 0);
        while code.len() < most {
            if code.contains_key(&at) {
                // What is run into from above begins a block.
                leaders.insert(at);
                break;
            }
            let Some(instruction) = decode(at) else { break };
            code.insert(at, instruction);
            let next = instruction.next();
            let lead = |to, leaders: &mut BTreeSet<u32>, open: &mut VecDeque<u32>| {
                leaders.insert(to);
                open.push_back(to);
            };
            match instruction.flow {
                Flow::Next => {
                    count += 1;
                    if count == MOST_IN_BLOCK {
                        leaders.insert(next);
                        count = 0;
                    }
                    at = next;
                    continue;
                }
                Flow::Jump(to) => lead(to, &mut leaders, &mut open),
                Flow::Branch(to) => {
                    lead(next, &mut leaders, &mut open);
                    lead(to, &mut leaders, &mut open);
                }
                Flow::Call(to) => {
                    lead(to, &mut leaders, &mut open);
                    lead(next, &mut leaders, &mut open);
                    entries.insert(next);
                }
                Flow::Return => {}
                Flow::Indirect { call: false } => {
                    let (mut at, mut begins) = (next, true);
                    let end = end(at).unwrap_or(at);
                    while let Some(instruction) = Some(at).filter(|at| *at < end).and_then(&decode) {
                        if begins {
                            lead(at, &mut leaders, &mut open);
                            entries.insert(at);
                        }
                        begins = matches!(
                            instruction.flow,
                            Flow::Jump(_) | Flow::Return | Flow::Indirect { call: false }
                        );
                        at = instruction.next();
                    }
                }
                Flow::Indirect { call: true } | Flow::System | Flow::Leave => {
                    lead(next, &mut leaders, &mut open);
                    entries.insert(next);
                }
            }
            break;
        }
    }
    let mut blocks: Vec<Block<D>> = Vec::new();
    for &leader in &leaders {
        let mut block = Vec::new();
        let mut at = leader;
        while let Some(instruction) = code.get(&at) {
            block.push(*instruction);
            at = instruction.next();
            if instruction.flow != Flow::Next || leaders.contains(&at) || block.len() == MOST_IN_BLOCK {
                break;
            }
        }
        // Nothing is gained by coming to an instruction that is the emulator's.
        if block.first().is_some_and(|first| first.flow != Flow::Leave) {
            blocks.push(Block {
                program,
                code: block,
                next: Vec::new(),
            });
        }
    }
    let places: BTreeMap<u32, usize> = blocks
        .iter()
        .enumerate()
        .map(|(at, block)| (block.address(), at))
        .collect();
    for block in &mut blocks {
        let Some(last) = block.code.last() else { continue };
        let to = |address: u32| (address, places.get(&address).copied());
        block.next = match last.flow {
            Flow::Next => vec![to(last.next())],
            Flow::Jump(address) | Flow::Call(address) => vec![to(address)],
            Flow::Branch(address) => vec![to(address), to(last.next())],
            Flow::Indirect { .. } | Flow::Return | Flow::System | Flow::Leave => Vec::new(),
        };
    }
    entries.retain(|entry| places.contains_key(entry));
    Found { blocks, entries }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine whose instructions are given.
    fn machine(flows: &[Flow]) -> impl Fn(u32) -> Option<Instruction<()>> {
        move |address| {
            Some(Instruction {
                address,
                length: 4,
                decoded: (),
                flow: *flows.get(address as usize / 4)?,
            })
        }
    }

    #[test]
    fn blocks_end_where_others_begin() {
        let flows = [
            Flow::Next,
            Flow::Next,
            Flow::Branch(4),
            Flow::Call(20),
            Flow::Leave,
            Flow::Next,
            Flow::Return,
        ];
        let found = find(0, [0], 100, machine(&flows), |_| None);
        let addresses: Vec<u32> = found.blocks.iter().map(Block::address).collect();
        assert_eq!(addresses, [0, 4, 12, 20]);
        assert_eq!(found.blocks[0].next, [(4, Some(1))]);
        assert_eq!(found.blocks[1].next, [(4, Some(1)), (12, Some(2))]);
        assert_eq!(found.blocks[2].next, [(20, Some(3))]);
        // Behind the call is an instruction of the emulator's, and behind that one that is translated.
        assert_eq!(found.entries.into_iter().collect::<Vec<_>>(), [0, 20]);
    }

    #[test]
    fn behind_a_table_of_jumps_all_its_places_are_entries() {
        let flows = [
            Flow::Indirect { call: false },
            Flow::Next,
            Flow::Jump(24),
            Flow::Next,
            Flow::Jump(24),
            Flow::Next,
            Flow::Return,
        ];
        let found = find(0, [0], 100, machine(&flows), |_| Some(28));
        assert_eq!(found.entries.into_iter().collect::<Vec<_>>(), [0, 4, 12, 20]);
    }

    #[test]
    fn what_is_too_much_is_left() {
        let flows = vec![Flow::Next; 200];
        let found = find(0, [0], 100, machine(&flows), |_| None);
        assert_eq!(found.blocks.len(), 2);
        assert_eq!(found.blocks[1].next, [(400, None)]);
        assert_eq!(found.blocks[1].retired(), 36);
    }
}
