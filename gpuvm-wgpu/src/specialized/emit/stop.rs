//! How a VM ends: it halts, or traps and leaves what the host wants to know of that.

use gpuvm_core::interp::header;
use gpuvm_core::isa::{Class, NO_WORD, Op, unpair};
use gpuvm_core::program::Status;
use gpuvm_core::specialise::flow::{Exit, op_at};
use gpuvm_core::specialise::structure::Step;
use gpuvm_engine::fault;
use naga::{BinaryOperator, Block, Statement};

use super::super::code::Node;
use super::steps::NOWHERE;
use super::words::Operand;
use super::{Emitter, Start};

/// That a trap names no words to record.
pub const NO_WORDS: u32 = u32::MAX;

impl Emitter<'_> {
    /// The VM stops at the end of a block.
    pub fn stop(&mut self, block: usize) {
        let end = self.flow.blocks[block].end;
        match self.flow.blocks[block].exit {
            Exit::Pause => self.pause(end),
            Exit::Trap => {
                self.record_trap(end - 1);
                if !self.goes_on {
                    self.code.give(Status::Trapped as u32);
                }
            }
            Exit::Outside(ip) => {
                let ip = self.code.word(ip);
                self.end_in_fault(ip, ip);
            }
            _ => self.halt(),
        }
    }

    /// The VM traps for going on with an instruction, or at an offset, that is not there.
    pub fn end_in_fault(&mut self, ip: Node, offset: Node) {
        self.record_fault(ip, fault::MEMORY, offset);
        self.code.give(Status::Trapped as u32);
    }

    /// The VM is done. Where it cannot be stopped before, the host knows without its state.
    pub fn halt(&mut self) {
        if self.about.suspends {
            let row = self.code.word(header::STATUS as u32);
            let status = self.code.word(Status::Halted as u32);
            self.code.invoke("put_state", &[row, status]);
        }
        if self.within {
            self.hurry();
        }
        let Some(trapped) = self.trapped.filter(|_| self.may_have_trapped) else {
            self.code.give(Status::Halted as u32);
            return;
        };
        let going = self.is_going(trapped);
        let [halted, trapped] = [Status::Halted, Status::Trapped].map(|status| self.code.word(status as u32));
        let status = self.code.select(going, halted, trapped);
        self.code.push(Statement::Return { value: Some(status) });
    }

    /// Traps for a reason of the machine's own if a condition is met.
    pub fn fault_if(&mut self, ip: u32, condition: Node, reason: u32, offset: Node) {
        self.end_if(condition, |emitter| {
            let ip = emitter.code.word(ip);
            emitter.record_fault(ip, reason, offset);
        });
    }

    /// Traps at an instruction, which names the words to record, if a condition is met.
    pub fn trap_if(&mut self, ip: u32, condition: Node) {
        self.end_if(condition, |emitter| emitter.record_trap(ip));
    }

    fn end_if(&mut self, condition: Node, record: impl FnOnce(&mut Self)) {
        let Some(trapped) = self.trapped else {
            let body = self.nested(|emitter| {
                record(emitter);
                emitter.code.give(Status::Trapped as u32);
            });
            self.code.choose(condition, body, Block::new());
            return;
        };
        let first = match self.may_have_trapped {
            true => {
                let going = self.is_going(trapped);
                self.code.binary(BinaryOperator::LogicalAnd, condition, going)
            }
            false => condition,
        };
        let body = self.nested(record);
        self.code.choose(first, body, Block::new());
        self.may_have_trapped = true;
    }

    fn is_going(&mut self, trapped: Node) -> Node {
        let (now, nowhere) = (self.code.load(trapped), self.code.word(NOWHERE));
        self.code.binary(BinaryOperator::Equal, now, nowhere)
    }

    /// What a VM does only if it has not trapped.
    pub fn unless_trapped(&mut self, write: impl FnOnce(&mut Self)) {
        match self.trapped {
            Some(trapped) if self.may_have_trapped => {
                let going = self.is_going(trapped);
                let body = self.nested(write);
                self.code.choose(going, body, Block::new());
            }
            _ => write(self),
        }
    }

    /// Traps if a condition is met that leads to a block which does nothing else; the code at hand goes on.
    pub fn trap_by(&mut self, condition: Node, steps: &[Step]) {
        let hand = self.hand.clone();
        self.goes_on = true;
        self.end_if(condition, |emitter| emitter.list(steps));
        self.goes_on = false;
        self.hand = hand;
    }

    /// Whether steps surely lead to a trap, which the way past them need not wait for: that of a VM which goes on although it has trapped.
    pub fn only_trap(&self, steps: &[Step]) -> bool {
        // What it computes for whoever is told of the trap must not trap itself.
        let calm = |step: &Step| match step {
            Step::Straight(block) => {
                let mut code = self.flow.straight(*block, self.program);
                code.all(|(_, op, _)| matches!(op.class(), Class::Linear | Class::Oracle))
            }
            _ => false,
        };
        match steps.split_last() {
            Some((Step::Stop(block), before)) if self.start == Start::Several => {
                self.flow.blocks[*block].exit == Exit::Trap && before.iter().all(calm)
            }
            _ => false,
        }
    }

    /// An offset, or that of the first word where the VM has trapped and what it knows of the offset does not hold.
    pub fn unless_it_has_trapped(&mut self, offset: Node) -> Node {
        match self.trapped {
            Some(trapped) if self.may_have_trapped && self.start == Start::Several => {
                let (going, first) = (self.is_going(trapped), self.code.word(0));
                self.code.select(going, offset, first)
            }
            _ => offset,
        }
    }

    /// Ends the VM at the end of a block in which it has trapped.
    pub fn end_if_trapped(&mut self) {
        // Of several VMs one after the other none goes another way than the others.
        if self.start == Start::Several {
            return;
        }
        if let (Some(trapped), true) = (self.trapped, self.may_have_trapped) {
            let going = self.is_going(trapped);
            let over = self.code.not(going);
            self.code.when(over, |code| code.give(Status::Trapped as u32));
            self.may_have_trapped = false;
        }
    }

    /// Leaves what the host wants to know of a trap at an instruction.
    fn record_trap(&mut self, ip: u32) {
        let instruction = &self.program.code[ip as usize];
        let [_, a, b, c] = instruction.operands;
        let ((first, second), (third, fourth)) = (unpair(a), unpair(b));
        let words = match op_at(self.program, ip) {
            Some(Op::Trap) => vec![first, second, third, fourth],
            Some(Op::TrapIf) => vec![b, c],
            _ => Vec::new(),
        };
        let hand = self.hand.clone();
        let values = self.code.global("trap_values");
        let mut packed = NO_WORDS;
        for (place, word) in words.into_iter().enumerate().filter(|(_, word)| *word != NO_WORD) {
            packed = packed & !(0xff << (8 * place)) | (word & 0xff) << (8 * place);
            let value = self.w(Operand::Word(word));
            let to = self.code.part(values, place as u32);
            self.code.store(to, value);
        }
        self.hand = hand;
        if packed != NO_WORDS {
            let packed = self.code.word(packed);
            self.leave("trap_words", packed);
        }
        let ip = self.code.word(ip);
        self.traps_at(ip);
    }

    fn record_fault(&mut self, ip: Node, reason: u32, offset: Node) {
        let reason = self.code.word(reason);
        self.leave("trap_fault", reason);
        self.leave("trap_offset", offset);
        self.traps_at(ip);
    }

    fn traps_at(&mut self, ip: Node) {
        self.leave("stop_ip", ip);
        self.about.traps = true;
        self.may_trap_later();
    }
}
