//! Activations: pieces of node streams whose code is written where they are called. A routine is one activation of its own source; each call of
//! a closure, and of a routine that is given one, is another, with locals, labels and joins of its own.

use super::Source;
use super::aggregate::Fields;
use super::method::NO_METHOD;
use super::operand::{Operand, Where};
use super::piece::Function;
use super::state::Encoder;
use crate::facts::{CallFact, Fact};
use crate::isa::Op;
use crate::types::{Kind, Type, TypeRef};

/// A run of the macro's numbers, and the encoder's number of the first.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    first: u32,
    count: u32,
    base: u32,
}

impl Numbers {
    const NONE: Numbers = Numbers {
        first: 0,
        count: 0,
        base: 0,
    };

    /// Whether one of the macro's is in the run.
    const fn has(&self, number: u32) -> bool {
        number >= self.first && number - self.first < self.count
    }
}

/// The locals of the activation that is being walked, which are most of those that it names: from which number of the macro's on, up to which, and
/// what makes the encoder's of these.
#[derive(Clone, Copy)]
pub(super) struct OwnLocals {
    first: u32,
    end: u32,
    shift: u32,
}

impl OwnLocals {
    /// Those of a whole routine.
    pub const fn of(source: &'static Source) -> OwnLocals {
        OwnLocals {
            first: 0,
            end: source.locals.len() as u32,
            shift: 0,
        }
    }
}

/// One run through a piece of a node stream.
#[derive(Clone, Copy)]
pub(super) struct Activation {
    pub source: &'static Source,
    locals: Numbers,
    captures: Numbers,
    labels: Numbers,
    joins: Numbers,
    /// Of a closure: the activation that it was written in.
    pub outer: u32,
    pub is_closure: bool,
    /// The join and the label where its result goes, once something has returned before the end.
    result: u32,
    exit: u32,
    /// Where the walk goes on afterwards.
    caller: u32,
    at: usize,
    end: usize,
    line: u32,
    furthest: u32,
    /// Whether all that it does is on the line of its call, as with `#[track_caller]`.
    tracked: bool,
}

/// No join and no label.
const NOWHERE: u32 = u32::MAX;

/// The activation that nobody called.
const ROOT: u32 = 0;

impl Activation {
    /// The activation of a whole routine, its numbers being the encoder's.
    pub const fn of(source: &'static Source) -> Activation {
        Activation {
            source,
            locals: Numbers {
                count: source.locals.len() as u32,
                ..Numbers::NONE
            },
            captures: Numbers::NONE,
            labels: Numbers {
                count: source.labels,
                ..Numbers::NONE
            },
            joins: Numbers {
                count: source.joins,
                ..Numbers::NONE
            },
            outer: ROOT,
            is_closure: false,
            result: NOWHERE,
            exit: NOWHERE,
            caller: ROOT,
            at: 0,
            end: 0,
            line: 0,
            furthest: 0,
            tracked: false,
        }
    }
}

/// A closure: its code, and the activation that it may name locals of.
#[derive(Clone, Copy)]
pub(super) struct Closure {
    definition: u32,
    at: usize,
    end: usize,
    locals: Numbers,
    /// The values that it has captured.
    captures: Numbers,
    labels: Numbers,
    joins: Numbers,
}

impl Closure {
    pub const NONE: Closure = Closure {
        definition: ROOT,
        at: 0,
        end: 0,
        locals: Numbers::NONE,
        captures: Numbers::NONE,
        labels: Numbers::NONE,
        joins: Numbers::NONE,
    };
}

impl Encoder<'_> {
    /// Enters the routine itself.
    pub const fn start(&mut self) {
        let source = self.source;
        self.activations.push(Activation::of(source), &mut self.full);
        self.functions.push(Function::ROUTINE, &mut self.full);
        self.locals.extend(source.locals.len() as u32, &mut self.full);
        self.labels.extend(source.labels, &mut self.full);
        self.joins.extend(source.joins, &mut self.full);
    }

    /// Whether integer overflow traps in the code that is being written.
    pub const fn checks(&self) -> bool {
        let mut activation = self.current;
        loop {
            let current = &self.activations.items[activation as usize];
            match current.source.checks {
                Some(checks) => return checks,
                None if activation == ROOT => return cfg!(debug_assertions),
                None => activation = current.caller,
            }
        }
    }

    /// Whether the walk is in the function itself that is being written.
    pub const fn is_root(&self) -> bool {
        self.current == self.function().activation
    }

    /// The encoder's number of a local of the macro's.
    pub const fn local(&self, number: u32) -> usize {
        if number >= self.own_locals.first && number < self.own_locals.end {
            return (number + self.own_locals.shift) as usize;
        }
        self.outer_local(number)
    }

    /// The same of a local that was captured, or that is of an activation around.
    const fn outer_local(&self, number: u32) -> usize {
        let mut activation = &self.activations.items[self.current as usize];
        loop {
            if activation.captures.count > 0 && activation.captures.has(number) {
                return (activation.captures.base + (number - activation.captures.first)) as usize;
            }
            if activation.locals.has(number) {
                return (activation.locals.base + (number - activation.locals.first)) as usize;
            }
            activation = &self.activations.items[activation.outer as usize];
        }
    }

    /// The encoder's number of a label of the macro's.
    pub const fn label(&self, number: u32) -> u32 {
        let mut activation = &self.activations.items[self.current as usize];
        loop {
            if activation.labels.has(number) {
                return activation.labels.base + (number - activation.labels.first);
            }
            activation = &self.activations.items[activation.outer as usize];
        }
    }

    /// The encoder's number of a join of the macro's.
    pub const fn join_number(&self, number: u32) -> usize {
        let mut activation = &self.activations.items[self.current as usize];
        loop {
            if activation.joins.has(number) {
                return (activation.joins.base + (number - activation.joins.first)) as usize;
            }
            activation = &self.activations.items[activation.outer as usize];
        }
    }

    /// `Closure`: pushes it and skips its code.
    pub const fn closure(&mut self) {
        let captures = self.small();
        let mut own = [Numbers::NONE; 3];
        let mut i = 0;
        while i < own.len() {
            own[i].first = self.small();
            own[i].count = self.small();
            i += 1;
        }
        let length = self.small() as usize;
        let [locals, labels, joins] = own;
        let base = self.locals.extend(captures, &mut self.full);
        i = captures as usize;
        while i > 0 {
            i -= 1;
            let value = self.pop();
            let value = self.owned(value).shared();
            if base as usize + i < self.locals.room {
                self.locals.items[base as usize + i] = value;
            }
        }
        self.closures.push(
            Closure {
                definition: self.current,
                at: self.at,
                end: self.at + length,
                locals,
                captures: Numbers {
                    first: locals.first,
                    count: captures,
                    base,
                },
                labels,
                joins,
            },
            &mut self.full,
        );
        self.at += length;
        self.push(Operand {
            ty: &Type::CLOSURE,
            at: Where::Closure(self.closures.len as u32 - 1),
            owned: true,
            ..Operand::NEVER
        });
    }

    /// A closure with captured values of its own.
    pub const fn copy_closure(&mut self, number: u32) -> u32 {
        let mut copy = self.closures.items[number as usize];
        let from = copy.captures.base as usize;
        if copy.captures.count == 0 {
            return number;
        }
        copy.captures.base = self.locals.extend(copy.captures.count, &mut self.full);
        let mut i = 0;
        while i < copy.captures.count as usize && !self.overflowed() {
            let value = self.local_operand(from + i);
            self.locals.items[copy.captures.base as usize + i] = self.owned(value).shared();
            i += 1;
        }
        self.closures.push(copy, &mut self.full);
        self.closures.len as u32 - 1
    }

    /// `captured = captured of the other`, for two values of one closure.
    pub const fn assign_closure(&mut self, to: u32, from: u32) {
        let (to, from) = (
            self.closures.items[to as usize].captures,
            self.closures.items[from as usize].captures,
        );
        let mut i = 0;
        while i < to.count && to.base != from.base {
            let place = self.local_operand((to.base + i) as usize);
            let value = self.local_operand((from.base + i) as usize);
            self.assign(place, value);
            i += 1;
        }
    }

    /// `CallValue`: walks the code of the closure below the top `count` operands.
    pub const fn call_value(&mut self, count: u32) {
        let first = self.stack.len - count as usize;
        let mut never = false;
        let mut i = first - 1;
        let callee = self.stack.items[i];
        while i + 1 < self.stack.len {
            self.stack.items[i] = self.stack.items[i + 1];
            never = never || self.stack.items[i].is_never();
            i += 1;
        }
        self.stack.len -= 1;
        if let Where::Function {
            activation,
            slot,
            variant,
            method,
            kind,
        } = callee.at
        {
            let source = self.activations.items[activation as usize].source;
            match source.facts.get(slot as usize, source.depth) {
                Fact::Call(call) => return self.call(call, count),
                Fact::Constructor(ty) => return self.construct(ty.ty, variant, count, Fields::InOrder),
                fact @ (Fact::Builtin | Fact::Compared(_)) if method != NO_METHOD => {
                    if let Fact::Compared(ty) = fact {
                        self.compare_as(ty, count);
                    }
                    let of = if kind == 0 { None } else { Kind::from_code(kind - 1) };
                    return self.std_method(method, count, of);
                }
                _ => {}
            }
        }
        let closure = match callee.at {
            Where::Closure(number) if !never => self.closures.items[number as usize],
            _ => {
                self.stack.len = first - 1;
                self.push(Operand::NEVER);
                return;
            }
        };
        let source = self.activations.items[closure.definition as usize].source;
        self.enter(
            source,
            closure.at,
            closure.end,
            Activation {
                outer: closure.definition,
                is_closure: true,
                locals: closure.locals,
                captures: closure.captures,
                labels: closure.labels,
                joins: closure.joins,
                ..Activation::of(source)
            },
        );
    }

    /// Walks a routine where it is called, with the top operands as its arguments.
    pub const fn call_inline(&mut self, source: &'static Source) {
        let count = source.params.len();
        let first = self.stack.len - count;
        let mut i = 0;
        while i < count {
            if matches!(self.stack.items[first + i].at, Where::Never) {
                self.stack.len = first;
                self.push(Operand::NEVER);
                return;
            }
            i += 1;
        }
        self.enter(source, 0, source.nodes.len(), Activation::of(source));
        self.stack.len = first;
        let locals = self.locals.len - source.locals.len();
        while i > 0 && !self.full {
            i -= 1;
            // It stays where it is: what is made of it is not on the stack.
            let bound = self.argument_of(self.stack.items[first + i], source.params[i]);
            if source.is_std() {
                self.locals.items[locals + i] = bound;
            } else {
                self.declare(i as u32, bound);
            }
        }
    }

    /// Copies the receiver, the lowest of the top `count` operands, unless it is a reference.
    pub const fn copy_receiver(&mut self, count: u32) {
        let at = self.stack.len - count as usize;
        let receiver = self.stack.items[at];
        if receiver.refs == 0 && !matches!(receiver.at, Where::Never) {
            self.stack.items[at] = self.owned(receiver).shared();
        }
    }

    /// An argument as the local that a routine whose code is written here knows it by. A reference to a place is the place itself.
    pub const fn argument_of(&mut self, argument: Operand, want: TypeRef) -> Operand {
        let is_list = matches!(want.ty.kind, Kind::Slice) && argument.refs == 0;
        if want.refs > argument.refs && !argument.is_literal() && !is_list {
            return Operand {
                refs: want.refs,
                unmade: argument.unmade + want.refs - argument.refs,
                owned: false,
                by_ref: false,
                ..argument
            };
        }
        let argument = self.convert(argument, want);
        let mut bound = match argument.unmade {
            0 => self.owned(argument).shared(),
            _ => argument.shared(),
        };
        bound.by_ref = false;
        bound
    }

    /// Begins an activation; the numbers in it say how many of each it needs.
    pub const fn enter(&mut self, source: &'static Source, at: usize, end: usize, mut activation: Activation) {
        activation.locals.base = self.locals.extend(activation.locals.count, &mut self.full);
        activation.labels.base = self.labels.extend(activation.labels.count, &mut self.full);
        activation.joins.base = self.joins.extend(activation.joins.count, &mut self.full);
        activation.caller = self.current;
        activation.at = self.at;
        activation.end = self.end;
        activation.line = self.line;
        activation.furthest = self.furthest;
        self.activations.push(activation, &mut self.full);
        self.current = self.activations.len as u32 - 1;
        self.walk_in(source, &activation);
        self.at = at;
        self.end = end;
    }

    /// Makes an activation the one that is being walked, but for where in it the walk is.
    const fn walk_in(&mut self, source: &'static Source, activation: &Activation) {
        let locals = &activation.locals;
        self.source = source;
        self.nodes = source.nodes;
        // A closure's first locals are what it has captured, which is elsewhere. An activation's locals come behind those of the routine that it is in, so
        // their numbers grow.
        self.own_locals = OwnLocals {
            first: locals.first + activation.captures.count,
            end: locals.first + locals.count,
            shift: locals.base - locals.first,
        };
    }

    /// The end of an activation's code, where those that have returned before meet.
    pub const fn leave_activation(&mut self) {
        let activation = &self.activations.items[self.current as usize];
        let (result, exit) = (activation.result, activation.exit);
        self.go_back();
        if result == NOWHERE {
            self.push(Operand::NEVER);
        } else {
            self.place_here(exit);
            self.push_join(result as usize);
        }
    }

    /// Goes on where the activation was entered.
    pub const fn go_back(&mut self) {
        let left = self.activations.items[self.current as usize];
        self.line = left.line;
        self.furthest = left.furthest;
        self.current = left.caller;
        let caller = self.activations.items[left.caller as usize];
        self.walk_in(caller.source, &caller);
        self.at = left.at;
        self.end = left.end;
    }

    /// A call whose result is there afterwards, also if the routine is written here.
    pub const fn call_through(&mut self, call: CallFact, count: u32) {
        let caller = self.current;
        self.call(call, count);
        self.go_through(caller);
    }

    /// The same for a routine that is `#[track_caller]`.
    pub const fn call_tracked(&mut self, call: CallFact, count: u32) {
        let caller = self.current;
        self.call(call, count);
        if self.current != caller && !self.overflowed() {
            self.activations.items[self.current as usize].tracked = true;
        }
        self.go_through(caller);
    }

    const fn go_through(&mut self, caller: u32) {
        if self.current != caller && !self.full {
            self.run(caller);
        }
        if self.current != caller {
            // There was no room for it, and at the next attempt there is more.
            self.push(Operand::NEVER);
        }
    }

    /// `return` from an activation that was called. Its value goes to where the call's result is expected: at the end of the code, if nothing has returned
    /// before, to the stack, and else to what all join.
    pub const fn return_to_caller(&mut self, operand: Operand) {
        let activation = &self.activations.items[self.current as usize];
        let (result, is_end) = (activation.result, self.at == self.end);
        if result == NOWHERE && is_end {
            let value = self.result(operand);
            self.push(value);
            self.go_back();
            return;
        }
        let (result, exit) = if result == NOWHERE {
            let result = self.joins.extend(1, &mut self.full);
            let exit = self.new_label();
            if self.full {
                return;
            }
            let activation = &mut self.activations.items[self.current as usize];
            activation.result = result;
            activation.exit = exit;
            (result, exit)
        } else {
            (result, activation.exit)
        };
        self.set_join(result as usize, operand);
        if !is_end {
            self.jump_to(Op::Jump, exit, 0);
        }
    }

    /// A value as a call's result, which nobody else knows.
    const fn result(&mut self, operand: Operand) -> Operand {
        if operand.is_opaque() {
            let value = self.owned(operand);
            return Operand { owned: true, ..value };
        }
        let ty = operand.type_ref();
        let base = match operand.at {
            Where::Words(base) if operand.unmade == 0 => {
                if operand.owned {
                    base
                } else {
                    let own = self.fresh(ty.words());
                    self.copy_words(own, base, ty.words());
                    own
                }
            }
            _ => self.value(operand),
        };
        Operand::fresh(ty, base)
    }

    /// `Line`: what a routine of another file does is on the line of its call.
    pub const fn set_line(&mut self, line: u32) {
        let function = self.functions.items[self.functions.len - 1].activation;
        if self.current == function {
            self.come_to(line);
            return;
        }
        let activation = &self.activations.items[self.current as usize];
        if !activation.tracked
            && same_text(
                activation.source.file,
                self.activations.items[function as usize].source.file,
            )
        {
            self.come_to(line);
        }
    }

    const fn come_to(&mut self, line: u32) {
        self.line = line;
        if line > self.furthest {
            self.furthest = line;
        }
    }
}

pub(super) const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    // Paths differ at their ends first.
    let mut i = a.len();
    while i > 0 {
        i -= 1;
        if a[i] != b[i] {
            return false;
        }
    }
    true
}
