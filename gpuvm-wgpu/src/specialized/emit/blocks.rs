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
            Exit::Call { callee, .. } => {
                let to = start(self, callee);
                self.call(end - 1);
                self.code.word(to)
            }
            Exit::Return if self.stack.is_some() => self.ret(),
            _ => return self.stop(block),
        };
        self.code.store(next, target);
    }

    /// Stops the VM in front of a block that ends in a call for whose callee it has no room yet.
    fn stop_without_room(&mut self, block: usize) {
        let Some([_, calls]) = self.stack else {
            return;
        };
        let (start, end) = (self.flow.blocks[block].start, self.flow.blocks[block].end);
        let frame_end = self.callee_end(end - 1);
        let (have, most) = (self.code.launch("frame_words"), self.code.launch("most_frame_words"));
        let lacking = self.code.binary(BinaryOperator::Greater, frame_end, have);
        let possible = self.code.binary(BinaryOperator::LessEqual, frame_end, most);
        let waits = self.code.binary(BinaryOperator::LogicalAnd, lacking, possible);
        let stop = self.nested(|emitter| {
            let depth = emitter.code.load(calls);
            emitter.code.invoke("want_frame", &[frame_end, depth]);
            let ip = emitter.code.word(start);
            emitter.save(ip, Status::Running, emitter.used);
        });
        self.code.choose(waits, stop, Block::new());
    }

    /// The end of the frame of what a call calls.
    fn callee_end(&mut self, ip: u32) -> Node {
        let [_, caller, callee, _] = self.program.code[ip as usize].operands;
        let base = match self.stack {
            Some([base, _]) => self.code.load(base),
            None => self.code.word(0),
        };
        let words = self.code.word(caller.wrapping_add(callee));
        self.code.binary(BinaryOperator::Add, base, words)
    }

    /// Leaves a call frame, and makes the frame base the callee's.
    fn call(&mut self, ip: u32) {
        let Some([base, calls]) = self.stack else {
            return;
        };
        let (count, most) = (self.code.load(calls), self.code.launch("call_frames"));
        let deep = self.code.binary(BinaryOperator::GreaterEqual, count, most);
        let (end, room) = (self.callee_end(ip), self.code.launch("most_frame_words"));
        let large = self.code.binary(BinaryOperator::Greater, end, room);
        let bad = self.code.binary(BinaryOperator::LogicalOr, deep, large);
        let zero = self.code.word(0);
        self.fault_if(ip, bad, fault::STACK, zero);
        self.end_if_trapped();
        let (caller, words) = (self.code.load(base), self.program.code[ip as usize].operands[1]);
        let words = self.code.word(words);
        let moved = self.code.binary(BinaryOperator::Add, caller, words);
        let [at, after] = self.call_frame(moved);
        let back = self.code.word(ip + 1);
        self.code.invoke("put_frame", &[at, back]);
        self.code.invoke("put_frame", &[after, caller]);
        let one = self.code.word(1);
        let more = self.code.binary(BinaryOperator::Add, count, one);
        self.code.store(calls, more);
        self.code.store(base, moved);
    }

    /// The offsets of the two words of the call frame before a frame.
    fn call_frame(&mut self, base: Node) -> [Node; 2] {
        let (size, one) = (self.code.word(CALL_FRAME_WORDS as u32), self.code.word(1));
        let at = self.code.binary(BinaryOperator::Subtract, base, size);
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
        let own = self.code.load(base);
        let [at, after] = self.call_frame(own);
        let back = self.code.call("get_frame", &[at]);
        let caller = self.code.call("get_frame", &[after]);
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
