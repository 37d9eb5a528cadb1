//! Kernels whose VMs handle messages, each those of one actor.

use super::build::{At, Builder};
use super::loops::branch;
use super::{Around, Call, Input};
use crate::ir::{End, Word};
use crate::isa::Op;

impl Builder<'_> {
    /// Goes through the messages of the VM's actor. A message's answer is there before it counts as handled.
    pub(super) fn handle(
        &mut self,
        vm: Word,
        [states, mail, handled, busy]: [usize; 4],
        around: Option<Around>,
        after: Option<&Call>,
    ) {
        let with_mail = self.fetched(mail)[2];
        self.halt_unless_below(vm, with_mail);
        let own = self.load_element(mail, vm);
        let (actor, first, end) = (own[0], own[1], own[2]);
        self.halt_unless_below(first, end);
        self.halt_if_busy(busy, actor);
        self.state = self.reference_to(states, actor);
        let count = self.count(&self.kernel.count);
        let at = At { index: actor, count };
        let message = self.variable(&[first])[0];
        if let Some(around) = around {
            self.open_letters(around, first);
        }
        let (next, body, done, stopped) = (self.block(), self.block(), self.block(), self.block());
        self.end(End::Jump(next));
        self.begin(next);
        self.turn(message, end, body, done);
        self.empty_rooms(message);
        let columns = self.columns(message);
        self.compute_element(Some(at), message, columns);
        self.add_to(message, 1);
        let so_far = self.compute(Op::Sub, &[message, first], 0);
        self.store_element(handled, vm, &[so_far]);
        if let Some(around) = around {
            self.leave_if_stopped(around, stopped);
        }
        self.end(End::Jump(next));
        self.begin(done);
        let none = self.make(Op::Imm, 0);
        self.store_element(busy, actor, &[none]);
        self.end(End::Jump(stopped));
        self.begin(stopped);
        if let Some(after) = after {
            self.call_beside(after, &[first, end], at);
        }
        self.end(End::Halt);
    }

    /// Leaves an actor alone that is busy, and makes another one so.
    fn halt_if_busy(&mut self, busy: usize, actor: Word) {
        let is_busy = self.load_element(busy, actor)[0];
        let (halt, on) = (self.block(), self.block());
        self.end(branch(is_busy, halt, on));
        self.halt_in(halt, on);
        let begun = self.make(Op::Imm, 1);
        self.store_element(busy, actor, &[begun]);
    }

    /// Lets the actor's letters begin where there is room for those of its first message and of all after it.
    fn open_letters(&mut self, around: Around, first: Word) {
        let sent = self.compute(Op::MulImm, &[first], around.sends);
        let record = self.fetched(around.sent);
        self.store_at(record[0], record[1], 0, sent);
    }

    /// Turns to the rooms of a message. They may have what was put into them in an earlier batch.
    fn empty_rooms(&mut self, message: Word) {
        let mut rooms = Vec::new();
        self.kernel.walk_inputs(|input| {
            if let Input::Room(room) = input {
                rooms.push(*room);
            }
        });
        for room in rooms {
            let entry = self.reference_to(room, message);
            let none = self.make(Op::Imm, 0);
            self.store_at(entry[0], entry[1], 0, none);
            self.rooms.insert(room, entry);
        }
    }

    fn leave_if_stopped(&mut self, around: Around, stopped: usize) {
        let record = self.fetched(around.stopped).to_vec();
        let word = self.compute(Op::Load, &record, 0);
        let on = self.block();
        self.end(branch(word, stopped, on));
        self.begin(on);
    }
}
