//! Makes copies of a loop's test one again. Linking copies the test to each place that goes on with the loop, which saves an engine
//! that runs instructions one by one a jump; on a device, VMs that took different ways to the test had better meet in front of it.

use rustc_hash::FxHashMap;

use crate::isa::Effect;
use crate::program::Program;

use super::flow::{Block, Exit, Flow, op_at};

impl Flow {
    /// The same with one test for each loop where there were equal ones, and without blocks that only jump.
    pub fn with_shared_tails(mut self, program: &Program) -> Flow {
        self.skip_jumps(program);
        self.share_tails(program);
        self.skip_jumps(program);
        self.without_unreachable()
    }

    /// Leads past blocks that only go on to another.
    fn skip_jumps(&mut self, program: &Program) {
        let next: Vec<Option<usize>> = (0..self.blocks.len())
            .map(|block| match self.blocks[block].exit {
                Exit::Goto(to) if self.straight(block, program).next().is_none() => Some(to),
                _ => None,
            })
            .collect();
        // Blocks that only jump may do so in a circle.
        let behind = |mut block: usize| {
            for _ in 0..next.len() {
                match next[block] {
                    Some(to) => block = to,
                    None => break,
                }
            }
            block
        };
        for block in &mut self.blocks {
            // Yields and calls come back to the next instruction itself.
            if matches!(block.exit, Exit::Goto(_) | Exit::Branch { .. }) {
                block.exit.map(behind);
            }
            if let Exit::Branch { accept, reject, .. } = block.exit
                && accept == reject
            {
                block.exit = Exit::Goto(accept);
            }
        }
    }

    /// Gives blocks that end with the same test of whether to go back the same end.
    fn share_tails(&mut self, program: &Program) {
        let mut alike: FxHashMap<(u32, usize, usize), Vec<usize>> = FxHashMap::default();
        for (number, block) in self.blocks.iter().enumerate() {
            if let Exit::Branch { word, accept, reject } = block.exit
                && [accept, reject].iter().any(|&to| self.blocks[to].start <= block.start)
            {
                alike.entry((word, accept, reject)).or_default().push(number);
            }
        }
        let mut groups: Vec<Vec<usize>> = alike.into_values().filter(|group| group.len() > 1).collect();
        groups.sort_unstable();
        for group in groups {
            self.share_tail(program, &group);
        }
    }

    fn share_tail(&mut self, program: &Program, group: &[usize]) {
        let first = &self.blocks[group[0]];
        // The jump at the end is in the blocks too.
        let length = 1
            + (1..)
                .take_while(|&back| {
                    group
                        .iter()
                        .all(|&block| is_alike(program, first, &self.blocks[block], back))
                })
                .count() as u32;
        let tail = Block {
            start: first.end - length,
            ..first.clone()
        };
        let number = self.blocks.len();
        for &block in group {
            let block = &mut self.blocks[block];
            (block.end, block.exit) = (block.end - length, Exit::Goto(number));
        }
        self.blocks.push(tail);
    }

    /// Only the blocks that can be reached, in the same order.
    pub(super) fn without_unreachable(mut self) -> Flow {
        let (_, places) = self.order();
        let mut number = 0;
        let numbers: Vec<usize> = (places.iter())
            .map(|&place| {
                number += usize::from(place != usize::MAX);
                number.saturating_sub(1)
            })
            .collect();
        let mut places = places.iter();
        self.blocks
            .retain(|_| places.next().is_some_and(|&place| place != usize::MAX));
        for block in &mut self.blocks {
            block.exit.map(|to| numbers[to]);
        }
        self
    }
}

/// Whether the instructions so far in front of two blocks' last are the same, and may as well stand in one place.
fn is_alike(program: &Program, a: &Block, b: &Block, back: u32) -> bool {
    let of = |block: &Block| block.end.checked_sub(1 + back).filter(|&ip| ip >= block.start);
    let (Some(a), Some(b)) = (of(a), of(b)) else {
        return false;
    };
    let pure = op_at(program, a).is_some_and(|op| op.effect() == Effect::Pure);
    pure && program.code[a as usize] == program.code[b as usize]
}
