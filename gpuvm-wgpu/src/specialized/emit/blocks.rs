//! Code without structure: a loop around a switch over the blocks.

use gpuvm_core::interp::header;
use gpuvm_core::isa::CALL_FRAME_WORDS;
use gpuvm_core::program::Status;
use gpuvm_core::specialise::flow::Exit;
use gpuvm_engine::fault;
use naga::{BinaryOperator, Block, Module, Statement, SwitchCase, SwitchValue};

use super::super::code::Node;
use super::words::{Hand, Operand};
use super::{Emitter, Start};

impl Emitter<'_> {
    /// Writes the whole function.
    pub fn blocks(&mut self, module: &mut Module) {
        self.about.suspends = true;
        self.about.entries = self.flow.blocks.iter().map(|block| block.start).collect();
        self.about.entries.sort_unstable();
        self.prologue(true, module);
        let next = self.local("next");
        if self.start == Start::Resumed {
            let row = self.code.word(header::IP as u32);
            let ip = self.code.call("get_state", &[row]);
            self.code.store(next, ip);
        }
        let body = self.nested(|emitter| {
            let ip = emitter.code.load(next);
            let used = emitter.used;
            emitter.burn_or(|emitter| emitter.save(ip, Status::Running, used));
            let mut cases: Vec<SwitchCase> = (0..emitter.flow.blocks.len())
                .map(|block| SwitchCase {
                    value: SwitchValue::U32(emitter.flow.blocks[block].start),
                    body: emitter.nested(|emitter| emitter.block(block, next)),
                    fall_through: false,
                })
                .collect();
            cases.push(SwitchCase {
                value: SwitchValue::Default,
                body: emitter.nested(|emitter| emitter.nowhere(ip)),
                fall_through: false,
            });
            emitter.code.push(Statement::Switch { selector: ip, cases });
        });
        self.code.again(body);
        self.code.give(Status::Halted as u32);
    }

    fn block(&mut self, block: usize, next: Node) {
        self.hand = Hand::default();
        self.facts = self.known[block];
        self.stop_in_front(block);
        if let Exit::Call { .. } = self.flow.blocks[block].exit {
            self.stop_without_room(block);
        }
        for (ip, op, instruction) in self.flow.straight(block, self.program) {
            self.instruction(ip, op, instruction);
        }
        self.end_if_trapped();
        self.flush(self.used);
        let start = |emitter: &Self, block: usize| emitter.flow.blocks[block].start;
        let end = self.flow.blocks[block].end;
        let target = match self.flow.blocks[block].exit {
            Exit::Goto(to) => self.code.word(start(self, to)),
            Exit::Branch { word, accept, reject } => {
                let met = self.t(Operand::Word(word));
                let [accept, reject] = [accept, reject].map(|to| self.code.word(start(self, to)));
                self.code.select(met, accept, reject)
            }
            Exit::Yield(_) => return self.pause(end),
            Exit::Call { callee, words, .. } => {
                let to = start(self, callee);
                self.call(end - 1, words);
                self.code.word(to)
            }
            Exit::Return if self.stack.is_some() => self.ret(),
            _ => return self.stop(block),
        };
        self.code.store(next, target);
    }

    /// Stops the VM in front of a block that ends in a call, if it has no room for that and for what the callee touches: it has no budget left,
    /// and so is stopped where it is as any other.
    fn stop_without_room(&mut self, block: usize) {
        let (Some([base, calls]), Some(fuel)) = (self.stack, self.fuel) else {
            return;
        };
        let end = self.flow.blocks[block].end;
        let [_, caller, callee, _] = self.program.code[end as usize - 1].operands;
        if callee == 0 {
            return;
        }
        let words = self.code.word(caller.wrapping_add(callee));
        let base = self.code.load(base);
        let relative = self.code.binary(BinaryOperator::Add, base, words);
        let start_of_frames = self.code.word(self.frames_start());
        let reached = self.code.binary(BinaryOperator::Add, relative, start_of_frames);
        let (count, one) = (self.code.load(calls), self.code.word(1));
        let [end, room, most] = ["frames_end", "call_room", "call_frames"].map(|field| self.code.launch(field));
        let large = self.code.binary(BinaryOperator::Greater, reached, end);
        let deep = self.code.binary(BinaryOperator::GreaterEqual, count, room);
        let lacks = self.code.binary(BinaryOperator::LogicalOr, large, deep);
        // More calls than there may be are told by the call.
        let possible = self.code.binary(BinaryOperator::Less, count, most);
        let waits = self.code.binary(BinaryOperator::LogicalAnd, lacks, possible);
        let stop = self.nested(|emitter| {
            let wanted = emitter.code.binary(BinaryOperator::Add, count, one);
            emitter.code.invoke("want_room", &[relative, wanted]);
            let zero = emitter.code.word(0);
            emitter.code.store(fuel, zero);
            emitter.code.push(Statement::Continue);
        });
        self.code.choose(waits, stop, Block::new());
    }

    /// Pushes a call frame, and makes the frame base the callee's.
    fn call(&mut self, ip: u32, words: u32) {
        let Some([base, calls]) = self.stack else {
            return;
        };
        let (count, most) = (self.code.load(calls), self.code.launch("call_frames"));
        let deep = self.code.binary(BinaryOperator::GreaterEqual, count, most);
        let zero = self.code.word(0);
        self.fault_if(ip, deep, fault::STACK, zero);
        self.end_if_trapped();
        let [at, after] = self.call_frame(count);
        let (back, caller) = (self.code.word(ip + 1), self.code.load(base));
        self.code.invoke("put_call", &[at, back]);
        let absolute = self.code.word(self.frames_start());
        let kept = self.code.binary(BinaryOperator::Add, caller, absolute);
        self.code.invoke("put_call", &[after, kept]);
        let (one, words) = (self.code.word(1), self.code.word(words));
        let more = self.code.binary(BinaryOperator::Add, count, one);
        self.code.store(calls, more);
        let moved = self.code.binary(BinaryOperator::Add, caller, words);
        self.code.store(base, moved);
    }

    /// The offsets of the two words of a call frame.
    fn call_frame(&mut self, number: Node) -> [Node; 2] {
        let (size, one) = (self.code.word(CALL_FRAME_WORDS as u32), self.code.word(1));
        let at = self.code.binary(BinaryOperator::Multiply, number, size);
        [at, self.code.binary(BinaryOperator::Add, at, one)]
    }

    /// Pops a call frame, and gives where to go on; without one the VM is done.
    fn ret(&mut self) -> Node {
        let Some([base, calls]) = self.stack else {
            return self.code.word(0);
        };
        let (count, zero, one) = (self.code.load(calls), self.code.word(0), self.code.word(1));
        let last = self.code.binary(BinaryOperator::Equal, count, zero);
        let done = self.nested(Self::halt);
        self.code.choose(last, done, Block::new());
        let less = self.code.binary(BinaryOperator::Subtract, count, one);
        self.code.store(calls, less);
        let [at, after] = self.call_frame(less);
        let back = self.code.call("get_call", &[at]);
        let kept = self.code.call("get_call", &[after]);
        let absolute = self.code.word(self.frames_start());
        let caller = self.code.binary(BinaryOperator::Subtract, kept, absolute);
        self.code.store(base, caller);
        back
    }

    /// A VM that was stopped in front of something that is no block stays as it is; one that returns to such a place traps.
    fn nowhere(&mut self, ip: Node) {
        let (Some(fuel), one) = (self.fuel, self.code.word(1)) else {
            return;
        };
        let (left, cycles) = (self.code.load(fuel), self.code.launch("cycles"));
        let first = self.code.binary(BinaryOperator::Subtract, cycles, one);
        let untouched = self.code.binary(BinaryOperator::Equal, left, first);
        self.code.when(untouched, |code| {
            let row = code.word(header::STATUS as u32);
            let status = code.call("get_state", &[row]);
            code.push(Statement::Return { value: Some(status) });
        });
        self.end_in_fault(ip, ip);
    }
}
