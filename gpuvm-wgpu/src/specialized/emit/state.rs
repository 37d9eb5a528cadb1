//! How a VM starts and stops: its state is taken from memory only if it has been stopped before, and stored only if it is stopped.

use std::collections::{BTreeMap, BTreeSet};

use gpuvm_core::interp::header;
use gpuvm_core::isa::{Op, WORDS, space};
use gpuvm_core::program::Status;
use gpuvm_core::specialise::flow::op_at;
use gpuvm_core::specialise::propagation::Fact;
use gpuvm_engine::fault;
use gpuvm_shaders::layout::row;
use naga::{ArraySize, BinaryOperator, Module, Span, Statement, Type, TypeInner};

use super::super::code::Node;
use super::steps::NOWHERE;
use super::stop::NO_WORDS;
use super::{Emitter, Start};

/// Where the VM's frame is while the shader runs.
#[derive(Debug)]
pub enum Frame {
    /// There is none.
    None,
    /// In variables.
    Kept {
        /// The words that addresses lead to in an array of that many, the call stack that nobody uses included; there is none where the
        /// program takes no address.
        array: Option<(Node, u32)>,
        /// Each of the others in a variable of its own, by its number in the frame.
        scalars: BTreeMap<u32, Node>,
    },
    /// In the frames buffer.
    Memory,
}

/// Words of a frame that are kept in an array, or in variables of their own, at most.
const KEPT: u32 = 256;

impl Emitter<'_> {
    /// Words of the call stack, after which the frames begin.
    pub fn frames_start(&self) -> u32 {
        self.program.call_stack_words()
    }

    /// Makes the variables, and for VMs that were stopped takes their values from memory.
    pub fn prologue(&mut self, burns: bool, module: &mut Module) {
        let resumed = self.start == Start::Resumed;
        self.choose_frame(module);
        if self.options.software || self.start == Start::Several {
            self.trapped = Some(self.code.global("stop_ip"));
        }
        if self.start == Start::Several {
            // The VM before has perhaps trapped.
            for (name, value) in [
                ("stop_ip", NOWHERE),
                ("trap_fault", fault::NONE),
                ("trap_words", NO_WORDS),
            ] {
                let value = self.code.word(value);
                self.leave(name, value);
            }
        }
        if burns {
            let (fuel, cycles) = (self.local("fuel"), self.code.launch("cycles"));
            self.code.store(fuel, cycles);
            self.fuel = Some(fuel);
        }
        let counts_depth = (0..self.program.code.len() as u32)
            .any(|ip| matches!(op_at(self.program, ip), Some(Op::Enter | Op::Leave)));
        if counts_depth {
            let depth = self.local("depth");
            self.depth = Some(depth);
            self.fetch(depth, header::DEPTH);
        }
        if self.flow.calls {
            let stack = [self.local("base"), self.local("calls")];
            self.fetch(stack[0], row::FRAME_BASE);
            self.fetch(stack[1], row::CALLS);
            self.stack = Some(stack);
        }
        // Frame memory is 0 when a VM starts: whoever submits sees to that.
        if !resumed {
            return;
        }
        for number in words_in(self.used) {
            let local = self.local_of(number);
            self.fetch(local, header::WORD_0 + number);
        }
        self.move_frame(false);
    }

    /// Sets a variable to a row of the state of a VM that was stopped.
    fn fetch(&mut self, variable: Node, row: usize) {
        if self.start == Start::Resumed {
            let row = self.code.word(row as u32);
            let value = self.code.call("get_state", &[row]);
            self.code.store(variable, value);
        }
    }

    fn choose_frame(&mut self, module: &mut Module) {
        let mut touched = BTreeSet::new();
        let (mut addressed, mut unknown) = (false, false);
        for block in 0..self.flow.blocks.len() {
            let mut facts = self.known[block];
            for (ip, op, instruction) in self.flow.straight(block, self.program) {
                let word = instruction.operands[1];
                match op {
                    Op::LoadFrame | Op::StoreFrame => _ = touched.insert(word),
                    Op::Address => addressed = true,
                    Op::Load | Op::Store => match facts[word as usize % WORDS] {
                        Fact::Constant(space::FRAME) => addressed = true,
                        Fact::Constant(_) => {}
                        _ => unknown = true,
                    },
                    _ => {}
                }
                gpuvm_core::specialise::propagation::step(&mut facts, self.program, &self.options.known, ip);
            }
        }
        let (start, words) = (self.frames_start(), self.program.frame_memory());
        let array = if addressed { self.program.addressed_end() } else { 0 };
        touched.retain(|word| start.checked_add(*word).is_some_and(|at| array <= at && at < words));
        self.frame = if words == 0 || (touched.is_empty() && !addressed && !unknown && !self.flow.calls) {
            Frame::None
        } else if self.flow.calls || unknown || array > KEPT || touched.len() > KEPT as usize {
            Frame::Memory
        } else {
            let size = std::num::NonZeroU32::new(array).map(ArraySize::Constant);
            let array = size.map(|size| {
                let inner = TypeInner::Array {
                    base: self.base.types.word,
                    size,
                    stride: 4,
                };
                let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
                (self.code.local("frame", ty, None), array)
            });
            let variable = |word: u32| (word, self.local(&format!("f{word}")));
            Frame::Kept {
                array,
                scalars: touched.into_iter().map(variable).collect(),
            }
        };
        self.about.uses_frames = matches!(self.frame, Frame::Memory);
    }

    /// Moves the frame between its variables and the frames buffer.
    fn move_frame(&mut self, out: bool) {
        let Frame::Kept { array, scalars } = &self.frame else {
            return;
        };
        let (array, scalars) = (*array, scalars.clone());
        if let Some((array, words)) = array {
            let counter = self.local("moved");
            let zero = self.code.word(0);
            self.code.store(counter, zero);
            let body = self.nested(|emitter| {
                let (index, end) = (emitter.code.load(counter), emitter.code.word(words));
                let done = emitter.code.binary(BinaryOperator::GreaterEqual, index, end);
                emitter.code.when(done, |code| code.push(Statement::Break));
                let word = emitter.code.element(array, index);
                emitter.move_word(word, index, out);
                let one = emitter.code.word(1);
                let next = emitter.code.binary(BinaryOperator::Add, index, one);
                emitter.code.store(counter, next);
            });
            self.code.again(body);
        }
        for (word, variable) in scalars {
            let offset = self.code.word(self.frames_start() + word);
            self.move_word(variable, offset, out);
        }
    }

    fn move_word(&mut self, variable: Node, offset: Node, out: bool) {
        if out {
            let value = self.code.load(variable);
            self.code.invoke("put_frame", &[offset, value]);
        } else {
            let value = self.code.call("get_frame", &[offset]);
            self.code.store(variable, value);
        }
    }

    /// Finds out where a VM that was stopped goes on. One that stands somewhere else stays as it is.
    pub fn take_up(&mut self, entries: &BTreeSet<u32>, zero_is_a_goal: bool) {
        let goal = self.local("goal");
        self.fetch(goal, header::IP);
        self.goal = Some(goal);
        let ip = self.code.load(goal);
        let mut known = self.code.truth(false);
        for &entry in entries {
            let entry = self.code.word(entry);
            let here = self.code.binary(BinaryOperator::Equal, ip, entry);
            known = self.code.binary(BinaryOperator::LogicalOr, known, here);
        }
        let unknown = self.code.not(known);
        self.code.when(unknown, |code| {
            let row = code.word(header::STATUS as u32);
            let status = code.call("get_state", &[row]);
            code.push(Statement::Return { value: Some(status) });
        });
        if !zero_is_a_goal {
            let (zero, nowhere) = (self.code.word(0), self.code.word(NOWHERE));
            let start = self.code.binary(BinaryOperator::Equal, ip, zero);
            self.code.when(start, |code| code.store(goal, nowhere));
        }
    }

    /// Uses up one iteration of the budget; a VM that has none left is stopped in front of an instruction.
    pub fn burn(&mut self, ip: u32) {
        let live = self.live_at(ip);
        self.burn_or(|emitter| {
            let ip = emitter.code.word(ip);
            emitter.save(ip, Status::Running, live);
        });
    }

    /// Uses up one iteration of the budget, or saves the VM and ends if none is left.
    pub fn burn_or(&mut self, save: impl FnOnce(&mut Self)) {
        let Some(fuel) = self.fuel else {
            return;
        };
        let (left, zero, one) = (self.code.load(fuel), self.code.word(0), self.code.word(1));
        let empty = self.code.binary(BinaryOperator::Equal, left, zero);
        let stop = self.nested(save);
        self.code.choose(empty, stop, naga::Block::new());
        let less = self.code.binary(BinaryOperator::Subtract, left, one);
        self.code.store(fuel, less);
    }

    /// The VM yields or waits, as the instruction before says, to go on with an instruction.
    pub fn pause(&mut self, ip: u32) {
        let blocks = op_at(self.program, ip - 1) == Some(Op::Block);
        let status = if blocks { Status::Blocked } else { Status::Yielded };
        let live = self.live_at(ip);
        let ip = self.code.word(ip);
        self.save(ip, status, live);
    }

    /// Stores the words of the VM's state that matter and leaves the rest of it to whoever stores that, and ends with the status.
    pub fn save(&mut self, ip: Node, status: Status, live: u32) {
        let live = live & self.used;
        for number in words_in(live) {
            let local = self.local_of(number);
            let (row, value) = (self.code.word((header::WORD_0 + number) as u32), self.code.load(local));
            self.code.invoke("put_state", &[row, value]);
        }
        self.move_frame(true);
        self.leave("stop_ip", ip);
        let dead = self.code.word(!live);
        self.leave("stop_dead", dead);
        let [base, calls] = self.stack.map_or([None; 2], |stack| stack.map(Some));
        for (name, variable) in [("stop_depth", self.depth), ("stop_base", base), ("stop_calls", calls)] {
            if let Some(variable) = variable {
                let value = self.code.load(variable);
                self.leave(name, value);
            }
        }
        self.code.give(status as u32);
    }

    /// Leaves a value for the state of a VM that stops or traps.
    pub fn leave(&mut self, name: &'static str, value: Node) {
        let to = self.code.global(name);
        self.code.store(to, value);
    }
}

/// The numbers of the words that have their bit set.
fn words_in(bits: u32) -> impl Iterator<Item = usize> {
    (0..WORDS).filter(move |number| bits >> number & 1 == 1)
}
