//! Kernels whose VMs handle messages, each those of one actor.

use super::build::{At, Builder, Element};
use super::loops::branch;
use super::{Around, Call, Input, Mail};
use crate::ir::{End, Word};
use crate::isa::Op;
use crate::types::Context;

/// A VM's messages.
struct Own {
    actor: Word,
    /// The first and one past the last.
    first: Word,
    end: Word,
    /// The letter at hand, counted from 1, and which column tells the one after it, if they are in a list.
    letter: Option<(Word, usize)>,
}

impl Builder<'_> {
    /// Goes through the messages of the VM's actor. A message's answer is there before it counts as handled.
    pub(super) fn handle(&mut self, vm: Word, states: usize, mail: &Mail, handled: usize, around: Option<Around>) {
        let count = self.count(&self.kernel.count);
        let own = self.own_messages(vm, mail, count);
        let at = At {
            index: own.actor,
            count,
        };
        self.state = self.reference_to(states, own.actor);
        let message = self.variable(&[own.first])[0];
        if let Some(around) = around {
            self.open_letters(around, own.first);
        }
        let (next, body, done, stopped) = (self.block(), self.block(), self.block(), self.block());
        self.end(End::Jump(next));
        self.begin(next);
        self.turn(message, own.end, body, done);
        if let Some(around) = around {
            self.limit_letters(around);
        }
        self.empty_rooms(message);
        let columns = match own.letter {
            None => self.columns(message),
            Some((letter, links)) => {
                let place = self.compute(Op::AddImm, &[letter], 1u32.wrapping_neg());
                let columns = self.columns(place);
                let after = self.load_element(links, place)[0];
                self.set(letter, after);
                columns
            }
        };
        self.compute_element(Some(at), message, columns);
        self.add_to(message, 1);
        let so_far = self.compute(Op::Sub, &[message, own.first], 0);
        self.store_element(handled, vm, &[so_far]);
        if let Some(around) = around {
            self.leave_if_stopped(around, stopped);
        }
        self.end(End::Jump(next));
        self.begin(done);
        match mail {
            Mail::Range { busy, .. } => {
                let none = self.make(Op::Imm, 0);
                self.store_element(*busy, own.actor, &[none]);
                self.end(End::Halt);
                self.begin(stopped);
            }
            Mail::List { after, .. } => {
                self.end(End::Jump(stopped));
                self.begin(stopped);
                if let Some(after) = after {
                    self.call_beside(1, after, &[own.first, own.end], at);
                }
            }
        }
        self.end(End::Halt);
    }

    /// The messages of the VM's actor; VMs without any halt.
    fn own_messages(&mut self, vm: Word, mail: &Mail, count: Word) -> Own {
        match mail {
            Mail::Range { mail, busy } => {
                let with_mail = self.fetched(*mail)[2];
                self.halt_unless_below(vm, with_mail);
                let own = self.load_element(*mail, vm);
                let (actor, first, end) = (own[0], own[1], own[2]);
                self.halt_unless_below(first, end);
                self.halt_if_busy(*busy, actor);
                Own {
                    actor,
                    first,
                    end,
                    letter: None,
                }
            }
            Mail::List { take, links, .. } => {
                self.halt_unless_below(vm, count);
                let taken = self.call_beside(0, take, &[], At { index: vm, count });
                let (first, end) = (taken[0], taken[1]);
                self.halt_unless_below(first, end);
                Own {
                    actor: vm,
                    first,
                    end,
                    letter: Some((self.variable(&taken[2..])[0], *links)),
                }
            }
        }
    }

    /// Calls one of the routines beside the messages, with more arguments behind its own.
    fn call_beside(&mut self, number: usize, call: &Call, more: &[Word], at: At) -> Vec<Word> {
        let none = Element::default();
        let mut args: Vec<Word> = call.args.iter().flat_map(|arg| self.value(arg, &none)).collect();
        args.extend(more);
        let results = (0..call.routine.result.words()).map(|_| self.word()).collect();
        self.invoke(self.kernel.calls.len() + number, args, results, Some(at))
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
        let (at, record) = self.record(around);
        let sent = self.compute(Op::MulImm, &[first], around.sends);
        self.store_at(at, record, Context::SENT, sent);
    }

    /// Sets how many messages the actor may have sent when it has handled the next one.
    fn limit_letters(&mut self, around: Around) {
        let (at, record) = self.record(around);
        let sent = self.compute(Op::Load, &[at, record], Context::SENT);
        let limit = self.compute(Op::AddImm, &[sent], around.sends);
        self.store_at(at, record, Context::LIMIT, limit);
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
        let (at, record) = self.record(around);
        let word = self.compute(Op::Load, &[at, record], Context::STOPPED);
        let on = self.block();
        self.end(branch(word, stopped, on));
        self.begin(on);
    }

    /// The reference to the VM's context.
    fn record(&self, around: Around) -> (Word, Word) {
        let record = self.fetched(around.context);
        (record[0], record[1])
    }
}
