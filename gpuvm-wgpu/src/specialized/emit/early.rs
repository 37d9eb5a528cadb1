//! Loads of several iterations before the first of them, so that the device waits for memory once and not in each iteration. Drivers do
//! not do that by themselves.

use std::collections::VecDeque;

use gpuvm_core::isa::{Op, space};
use gpuvm_core::matrix::{Ring, read_record};
use gpuvm_core::specialise::flow::{Exit, words_of};
use gpuvm_core::specialise::unroll::MOST_EARLY;

use super::super::code::Node;
use super::Emitter;
use super::words::Operand;

/// For each load to come, in order, the number of its instruction and the value if it was loaded early.
#[derive(Debug, Default)]
pub struct Early(VecDeque<(u32, Option<Node>)>);

impl Early {
    /// The value of the load at hand, if it is there.
    pub fn take(&mut self, ip: u32) -> Option<Node> {
        self.0.pop_front_if(|(of, _)| *of == ip)?.1
    }
}

impl Emitter<'_> {
    /// Loads what so many copies of a loop's body will load from slices, where the body is one block, begun by `first`, that stores
    /// nothing, and the addresses follow from what is known when the first begins.
    pub fn load_early(&mut self, first: usize, turns: u32) {
        let copies: Vec<usize> = std::iter::successors(Some(first), |&block| match self.flow.blocks[block].exit {
            Exit::Goto(to) => Some(to),
            _ => None,
        })
        .take(turns as usize)
        .collect();
        let start = self.flow.blocks[first].start;
        let alike = copies.iter().all(|&block| self.flow.blocks[block].start == start);
        let loads = self.flow.early_loads(first, self.program).unwrap_or(0) * turns;
        if !alike || copies.len() != turns as usize || loads == 0 || loads > MOST_EARLY {
            return;
        }
        let (hand, dirty, facts) = (self.hand.clone(), self.dirty, self.facts);
        let mut unknown = 0;
        for block in copies {
            self.facts = self.known[block];
            for (ip, op, instruction) in self.flow.straight(block, self.program) {
                let (uses, defs) = words_of(self.program, ip);
                let known = uses & unknown == 0;
                unknown &= !defs;
                if known && self.is_of_addresses(op, instruction.operands) {
                    self.instruction(ip, op, instruction);
                    continue;
                }
                if op == Op::Load {
                    let value = known.then(|| self.load_one_early(ip, instruction.operands));
                    self.early.0.push_back((ip, value.flatten()));
                }
                unknown |= defs;
            }
        }
        (self.hand, self.dirty, self.facts) = (hand, dirty, facts);
    }

    /// Loads a word of the arena if it is sure to be inside of its parameter.
    fn load_one_early(&mut self, ip: u32, [_, of, offset, constant]: [u32; 4]) -> Option<Node> {
        let value = self.read(offset);
        let fits = self.constant(Operand::Word(of)) == Some(space::ARENA) && self.is_inside(&value, constant);
        fits.then(|| {
            let word = self.arena_word(ip, offset, constant);
            self.code.load(word)
        })
    }

    /// Whether an instruction is such as compute addresses.
    fn is_of_addresses(&self, op: Op, [.., record]: [u32; 4]) -> bool {
        match op {
            Op::Mov | Op::Imm | Op::Add | Op::Sub | Op::AddImm | Op::MulImm | Op::ShlImm | Op::MinU => true,
            Op::Affine => {
                let record = self.program.matrices.get(record as usize);
                let map = record.and_then(|record| read_record(record, &self.program.pools));
                map.is_some_and(|map| map.rows().all(|row| row[0].ring == Ring::Integer))
            }
            _ => false,
        }
    }
}
