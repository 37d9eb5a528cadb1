//! Kernels whose VMs handle messages, each those of one actor.

use super::build::{At, Builder};
use crate::ir::{End, Word};
use crate::isa::Op;

impl Builder<'_> {
    /// Goes through the messages of the VM's actor. A message's answer is there before it counts as handled.
    pub(super) fn handle(&mut self, vm: Word, states: usize, mail: usize, handled: usize) {
        let with_mail = self.fetched(mail)[2];
        self.halt_unless_below(vm, with_mail);
        let own = self.load_element(mail, vm);
        let (actor, first, end) = (own[0], own[1], own[2]);
        self.state = self.reference_to(states, actor);
        let count = self.count(&self.kernel.count);
        let at = At { index: actor, count };
        let message = self.variable(&[first])[0];
        let (next, body, done) = (self.block(), self.block(), self.block());
        self.end(End::Jump(next));
        self.begin(next);
        self.turn(message, end, body, done);
        let columns = self.columns(message);
        self.compute_element(Some(at), message, columns);
        self.add_to(message, 1);
        let so_far = self.compute(Op::Sub, &[message, first], 0);
        self.store_element(handled, vm, &[so_far]);
        self.end(End::Jump(next));
        self.begin(done);
        self.end(End::Halt);
    }
}
