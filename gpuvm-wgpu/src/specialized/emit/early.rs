//! Loads of several iterations before the first of them, so that the device waits for memory once and not in each iteration. Drivers do
//! not do that by themselves.

use std::collections::{HashMap, VecDeque};

use gpuvm_core::isa::{Op, space};
use gpuvm_core::matrix::{Ring, read_record};
use gpuvm_core::specialise::counted::Counted;
use gpuvm_core::specialise::flow::{Exit, words_of};
use gpuvm_core::specialise::unroll::{MOST_EARLY, block_size};
use naga::{BinaryOperator, Block};

use super::super::code::Node;
use super::words::{Operand, Value};
use super::{Emitter, Start};

/// For each load to come, in order, the number of its instruction and the value if it was loaded early.
#[derive(Debug, Default)]
pub struct Early(VecDeque<(u32, Option<Node>)>);

impl Early {
    /// The value of the load at hand, if it is there.
    pub fn take(&mut self, ip: u32) -> Option<Node> {
        self.0.pop_front_if(|(of, _)| *of == ip)?.1
    }
}

/// Instructions of copies that prefetch, at most, for devices other than CUDA's: through Vulkan an H200 takes 0.55 ms in place of 0.98 for a loop
/// of 384, and 1.45 in place of 1.26 for one of 860.
const MOST_PREFETCHING: u32 = 512;

/// Turns of all copies that a loop has to be known to make, where it starts at 0: the last of them prefetches in vain.
const LEAST_TURNS: u32 = 8;

/// A load of a copy of a loop's body.
pub struct Load {
    /// The copy's block.
    block: usize,
    /// The instruction.
    ip: u32,
    /// What it loads, if that is known when the first copy begins and is sure to be inside of its parameter.
    pointer: Option<Node>,
}

/// The loads of a loop whose copies find in variables what they load, each loaded anew for the next time as soon as it has been used: the
/// device's way to memory and back takes as long as some of the copies do.
#[derive(Debug)]
pub struct Prefetch {
    variables: Vec<Option<Node>>,
}

/// What is to be loaded behind each copy: where from, and the variable that it goes to.
pub type Refills = HashMap<usize, Vec<(Node, Node)>>;

impl Emitter<'_> {
    /// Loads what so many copies of a loop's body will load from slices, where the body is one block, begun by `first`, that stores
    /// nothing, and the addresses follow from what is known when the first begins.
    pub fn load_early(&mut self, first: usize, turns: u32) {
        let loads = self.loads_ahead(first, turns);
        let values = loads.iter().map(|load| (load.ip, load.pointer));
        let values = values.map(|(ip, pointer)| (ip, pointer.map(|pointer| self.code.load(pointer))));
        self.early.0 = values.collect();
    }

    /// Lets a loop's first copies find what they load in variables, if so many are sure to come.
    pub fn begin_prefetch(&mut self, counted: Counted, first: usize, turns: u32) -> Option<Prefetch> {
        let is_far = counted.step.unsigned_abs().checked_mul(2 * turns).is_none();
        let size = block_size(self.flow, self.program, first) * turns;
        let has_room = self.options.cuda || size <= MOST_PREFETCHING && !self.options.software;
        if !has_room || is_far || self.start == Start::Resumed {
            return None;
        }
        let limit = counted
            .limit
            .and_then(|limit| self.aside(|emitter| emitter.constant(Operand::Word(limit))));
        let most = limit.map_or(0, |limit| limit / counted.step.unsigned_abs().max(1));
        if most < LEAST_TURNS * turns {
            return None;
        }
        self.aside(|emitter| emitter.fill_variables(counted, first, turns))
    }

    /// Loads what the first copies will, if so many are sure to come.
    fn fill_variables(&mut self, counted: Counted, first: usize, turns: u32) -> Option<Prefetch> {
        let is_ahead = self.is_ahead(counted, turns);
        let mut variables = Vec::new();
        let fill = self.nested(|emitter| {
            emitter.learn_ahead(counted, turns);
            let loads = emitter.loads_ahead(first, turns);
            let values = loads
                .iter()
                .map(|load| load.pointer.map(|pointer| emitter.code.load(pointer)));
            for value in values.collect::<Vec<_>>() {
                variables.push(value.map(|value| {
                    let variable = emitter.local("ahead");
                    emitter.code.store(variable, value);
                    variable
                }));
            }
        });
        if variables.iter().all(Option::is_none) {
            return None;
        }
        self.code.choose(is_ahead, fill, Block::new());
        Some(Prefetch { variables })
    }

    /// Takes what the copies load out of the variables, which are filled for those after them; false if that cannot be.
    pub fn take_prefetched(&mut self, prefetch: &Prefetch, counted: Counted, first: usize, turns: u32) -> bool {
        let loads = self.aside(|emitter| {
            let more = emitter.is_ahead(counted, 2 * turns);
            let index = emitter.w(Operand::Word(counted.index));
            let further = emitter.code.word(counted.step.wrapping_mul(turns as i32) as u32);
            let next = emitter.code.binary(BinaryOperator::Add, index, further);
            // Where no more are sure to come, it is the same once more that is loaded, and not used.
            let next = emitter.code.select(more, next, index);
            emitter.write(counted.index, Value::word(next));
            emitter.learn_ahead(counted, turns);
            emitter.loads_ahead(first, turns)
        });
        let mut pairs = loads.iter().zip(&prefetch.variables);
        let fits = pairs.all(|(load, variable)| variable.is_none() || load.pointer.is_some());
        if !fits || loads.len() != prefetch.variables.len() {
            return false;
        }
        self.early.0.clear();
        for (load, variable) in loads.iter().zip(&prefetch.variables) {
            let value = variable.map(|variable| self.code.load(variable));
            self.early.0.push_back((load.ip, value));
            if let (Some(pointer), Some(variable)) = (load.pointer, *variable) {
                self.refills.entry(load.block).or_default().push((pointer, variable));
            }
        }
        true
    }

    /// Loads what comes after what a copy has used.
    pub fn refill(&mut self, block: usize) {
        let refills = self.refills.remove(&block).unwrap_or_default();
        let values: Vec<_> = refills.iter().map(|(pointer, _)| self.code.load(*pointer)).collect();
        for ((_, variable), value) in refills.into_iter().zip(values) {
            self.code.store(variable, value);
        }
    }

    /// What so many copies of a loop's body load, none if they are not such as load early. Addresses are such as what is known now says.
    fn loads_ahead(&mut self, first: usize, turns: u32) -> Vec<Load> {
        let copies: Vec<usize> = std::iter::successors(Some(first), |&block| match self.flow.blocks[block].exit {
            Exit::Goto(to) => Some(to),
            _ => None,
        })
        .take(turns as usize)
        .collect();
        let start = self.flow.blocks[first].start;
        let alike = copies.iter().all(|&block| self.flow.blocks[block].start == start);
        let count = self.flow.early_loads(first, self.program).unwrap_or(0) * turns;
        if !alike || copies.len() != turns as usize || count == 0 || count > MOST_EARLY {
            return Vec::new();
        }
        self.aside(|emitter| emitter.loads_of(&copies))
    }

    fn loads_of(&mut self, copies: &[usize]) -> Vec<Load> {
        let mut unknown = 0;
        let mut loads = Vec::new();
        for &block in copies {
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
                    let pointer = known.then(|| self.pointer_ahead(ip, instruction.operands)).flatten();
                    loads.push(Load { block, ip, pointer });
                }
                unknown |= defs;
            }
        }
        loads
    }

    /// Writes what leaves no trace in what is at hand and known.
    fn aside<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let (hand, dirty, facts) = (self.hand.clone(), self.dirty, self.facts);
        let result = write(self);
        (self.hand, self.dirty, self.facts) = (hand, dirty, facts);
        result
    }

    /// A word of the arena if it is sure to be inside of its parameter.
    fn pointer_ahead(&mut self, ip: u32, [_, of, offset, constant]: [u32; 4]) -> Option<Node> {
        let value = self.read(offset);
        let fits = self.constant(Operand::Word(of)) == Some(space::ARENA) && self.is_inside(&value, constant);
        fits.then(|| self.arena_word(ip, offset, constant))
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
