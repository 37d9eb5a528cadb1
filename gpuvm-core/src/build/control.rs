//! Parameters, branches, loops, and what ends a routine.

use std::panic::Location;

use super::{Argument, Body, Operand, Value, Word};
use crate::assembly::types;
use crate::isa::{NO_WORD, Op, pair};
use crate::routine::Cause;
use crate::types::{Plain, TypeRef, VmType};

/// A loop that is open.
#[derive(Debug)]
pub(super) struct Loop {
    /// Where `continue_` goes, if that is known already.
    again: Option<u32>,
    /// Jumps to where `continue_` goes.
    continues: Vec<u32>,
    /// Jumps to behind it.
    breaks: Vec<u32>,
}

/// A place in the code that jumps go to, from before it or from behind it.
#[derive(Clone, Copy, Debug)]
pub struct Label(pub(super) usize);

/// What [`Body::ret`] returns: nothing, a value, or a tuple of values.
pub trait Returned<'b> {
    #[doc(hidden)]
    fn returned(self, body: &'b Body) -> (TypeRef, Word);
}

impl<'b> Returned<'b> for () {
    fn returned(self, _: &'b Body) -> (TypeRef, Word) {
        (TypeRef::of::<()>(), 0)
    }
}

impl<'b, T: VmType> Returned<'b> for Value<'b, T> {
    #[track_caller]
    fn returned(self, body: &'b Body) -> (TypeRef, Word) {
        let value = Operand::<T>::value(self, body);
        (TypeRef::value(T::TYPE), value.word)
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),+);)*) => {$(
        impl<'b, $($name: VmType),+> Returned<'b> for ($(Value<'b, $name>,)+)
        where
            ($($name,)+): VmType,
        {
            #[track_caller]
            fn returned(self, body: &'b Body) -> (TypeRef, Word) {
                let value = body.make::<($($name,)+)>(self);
                (TypeRef::of::<($($name,)+)>(), value.word)
            }
        }
    )*};
}
tuples! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
}

impl Body {
    /// A parameter that each VM has of its own.
    #[track_caller]
    pub fn param<T: VmType>(&self, name: &str) -> Value<'_, T> {
        Value::of(self, self.parameter(name, T::VALUE))
    }

    /// The words of the next parameter.
    #[track_caller]
    pub(super) fn parameter(&self, name: &str, ty: TypeRef) -> Word {
        let mut inner = self.inner.borrow_mut();
        if inner.words != inner.param_words || !inner.code.is_empty() {
            let what = format!("parameter `{name}` comes after other values; parameters come first");
            inner.mistake(Location::caller(), what);
        }
        inner.params.push(ty);
        let word = inner.words(ty.words());
        inner.param_words = inner.words;
        let line = inner.line;
        inner.variable(name, word, ty, line);
        word
    }

    fn here(&self) -> u32 {
        self.inner.borrow().code.len() as u32
    }

    /// A jump that [`Body::land`] completes.
    #[track_caller]
    fn jump(&self, op: Op, condition: Word) -> Option<u32> {
        let reachable = self.inner.borrow().reachable;
        let at = reachable.then(|| self.here());
        self.emit(op, [u32::MAX, condition, 0, 0]);
        at
    }

    /// Lets jumps go to the next instruction.
    fn land(&self, jumps: impl IntoIterator<Item = u32>) {
        let mut inner = self.inner.borrow_mut();
        let here = inner.code.len() as u32;
        for jump in jumps {
            if let Some(instruction) = inner.code.get_mut(jump as usize) {
                instruction.operands[0] = here;
                inner.reachable = true;
            }
        }
    }

    /// Does something where a condition holds.
    #[track_caller]
    pub fn if_<'b>(&'b self, condition: impl Operand<'b, bool>, then: impl FnOnce(&'b Body)) {
        let condition = condition.value(self);
        let skip = self.jump(Op::JumpUnless, condition.word);
        then(self);
        self.land(skip);
    }

    /// Does one thing where a condition holds, and else another.
    #[track_caller]
    pub fn if_else<'b>(
        &'b self,
        condition: impl Operand<'b, bool>,
        then: impl FnOnce(&'b Body),
        otherwise: impl FnOnce(&'b Body),
    ) {
        let condition = condition.value(self);
        let to_otherwise = self.jump(Op::JumpUnless, condition.word);
        then(self);
        let to_end = self.jump(Op::Jump, 0);
        self.land(to_otherwise);
        otherwise(self);
        self.land(to_end);
    }

    /// Does something again and again while a condition holds, which is computed each time.
    #[track_caller]
    pub fn while_<'b, C: Operand<'b, bool>>(
        &'b self,
        condition: impl FnOnce(&'b Body) -> C,
        body: impl FnOnce(&'b Body),
    ) {
        let again = self.here();
        let holds = condition(self).value(self);
        let leave = self.jump(Op::JumpUnless, holds.word);
        self.open(Some(again));
        body(self);
        self.go_to(again);
        self.close(leave);
    }

    /// Does something again and again, until [`break_`](Body::break_) or [`ret`](Body::ret).
    #[track_caller]
    pub fn loop_<'b>(&'b self, body: impl FnOnce(&'b Body)) {
        let again = self.here();
        self.open(Some(again));
        body(self);
        self.go_to(again);
        self.close(None);
    }

    /// Does something for each number from `first` up to but not including `end`.
    #[track_caller]
    pub fn for_<'b>(
        &'b self,
        first: impl Operand<'b, u32>,
        end: impl Operand<'b, u32>,
        body: impl FnOnce(&'b Body, Value<'b, u32>),
    ) {
        let end = end.value(self);
        let counter = self.variable("counter", first);
        let again = self.here();
        let number = counter.get();
        let leave = {
            let holds = number.lt(end);
            self.jump(Op::JumpUnless, holds.word)
        };
        self.open(None);
        body(self, number);
        let continues = match self.inner.borrow_mut().loops.last_mut() {
            Some(open) => std::mem::take(&mut open.continues),
            None => Vec::new(),
        };
        self.land(continues);
        counter.set(number + 1);
        self.go_to(again);
        self.close(leave);
    }

    fn open(&self, again: Option<u32>) {
        self.inner.borrow_mut().loops.push(Loop {
            again,
            continues: Vec::new(),
            breaks: Vec::new(),
        });
    }

    #[track_caller]
    fn go_to(&self, label: u32) {
        self.emit(Op::Jump, [label, 0, 0, 0]);
    }

    fn close(&self, leave: Option<u32>) {
        let open = self.inner.borrow_mut().loops.pop();
        self.land(leave);
        self.land(open.into_iter().flat_map(|open| open.breaks));
    }

    /// Leaves the innermost loop.
    #[track_caller]
    pub fn break_(&self) {
        let jump = self.jump(Op::Jump, 0);
        let mut inner = self.inner.borrow_mut();
        match inner.loops.last_mut() {
            Some(open) => open.breaks.extend(jump),
            None => inner.mistake(Location::caller(), "`break_` outside of a loop"),
        }
    }

    /// Goes on with the next turn of the innermost loop.
    #[track_caller]
    pub fn continue_(&self) {
        let jump = self.jump(Op::Jump, 0);
        let mut inner = self.inner.borrow_mut();
        let again = match inner.loops.last_mut() {
            Some(Loop { again: Some(again), .. }) => *again,
            Some(open) => return open.continues.extend(jump),
            None => return inner.mistake(Location::caller(), "`continue_` outside of a loop"),
        };
        if let Some(instruction) = jump.and_then(|jump| inner.code.get_mut(jump as usize)) {
            instruction.operands[0] = again;
        }
    }

    /// A label, for code whose loops and branches are somebody else's. [`place`](Body::place) says where it is, once.
    pub fn label(&self) -> Label {
        let mut inner = self.inner.borrow_mut();
        inner.labels.push(None);
        Label(inner.labels.len() - 1)
    }

    /// Lets jumps to a label go to what follows.
    #[track_caller]
    pub fn place(&self, label: Label) {
        let here = self.here();
        let mut inner = self.inner.borrow_mut();
        inner.reachable = true;
        match inner.labels.get_mut(label.0) {
            Some(place @ None) => *place = Some(here),
            Some(Some(_)) => inner.mistake(Location::caller(), "this label has been placed before"),
            None => inner.mistake(Location::caller(), "this label belongs to another routine"),
        }
    }

    /// Goes to a label.
    #[track_caller]
    pub fn jump_to(&self, label: Label) {
        let jump = self.jump(Op::Jump, 0);
        self.inner.borrow_mut().jumps.extend(jump.map(|jump| (jump, label.0)));
    }

    /// Goes to a label where a condition holds.
    #[track_caller]
    pub fn jump_if<'b>(&'b self, condition: impl Operand<'b, bool>, label: Label) {
        let condition = condition.value(self);
        let jump = self.jump(Op::JumpIf, condition.word);
        self.inner.borrow_mut().jumps.extend(jump.map(|jump| (jump, label.0)));
    }

    /// Does something whose values nobody uses behind it: the words that they take are free again. A routine can number 65,534 words, which a large one that was
    /// made by a program comes to. A value that is an operand behind it all the same is a mistake.
    pub fn scope<'b>(&'b self, body: impl FnOnce(&'b Body)) {
        let outer = self.scope.get();
        let words = {
            let mut inner = self.inner.borrow_mut();
            inner.scopes_begun += 1;
            let scope = inner.scopes_begun;
            inner.scopes.push(scope);
            self.scope.set(scope);
            inner.words
        };
        body(self);
        self.scope.set(outer);
        let mut inner = self.inner.borrow_mut();
        inner.scopes.pop();
        inner.most_words = inner.most_words.max(inner.words);
        inner.words = words;
    }

    /// Returns: nothing, `()`, a value, or a tuple of values. The first one decides what the routine returns.
    #[track_caller]
    pub fn ret<'b>(&'b self, returned: impl Returned<'b>) {
        let (ty, word) = returned.returned(self);
        let mut inner = self.inner.borrow_mut();
        match inner.result {
            None => inner.result = Some(ty),
            Some(known) if known.same(ty) => {}
            Some(known) => {
                let what = format!(
                    "it returns `{}` here and `{}` before",
                    types::print(ty),
                    types::print(known)
                );
                inner.mistake(Location::caller(), what);
            }
        }
        let line = inner.line_of(Location::caller());
        inner.push(Op::Return, [word, 0, 0, 0], line);
    }

    /// Traps the VM with this message.
    #[track_caller]
    pub fn panic(&self, message: &str) {
        let site = self.site(Cause::Message(types::keep(message)));
        let nothing = pair(NO_WORD, NO_WORD);
        self.emit(Op::Trap, [site, nothing, nothing, 0]);
    }

    /// Traps the VM with this message unless a condition holds.
    #[track_caller]
    pub fn assert<'b>(&'b self, condition: impl Operand<'b, bool>, message: &str) {
        let holds = condition.value(self);
        let fails = !holds;
        self.trap_if(fails.word, Cause::Message(types::keep(message)), [NO_WORD; 2]);
    }

    /// The VM's number in its launch, `vm::id()`.
    #[track_caller]
    pub fn vm_id(&self) -> Value<'_, u32> {
        Value::of(self, self.compute(Op::VmId, [0; 3]))
    }

    /// How many VMs there are, `vm::count()`.
    #[track_caller]
    pub fn vm_count(&self) -> Value<'_, u32> {
        Value::of(self, self.compute(Op::VmCount, [0; 3]))
    }

    /// Stops until the launch goes on, `vm::yield_now()`.
    #[track_caller]
    pub fn yield_now(&self) {
        self.emit(Op::Yield, [0; 4]);
    }

    /// Ends the VM, `vm::halt()`.
    #[track_caller]
    pub fn halt(&self) {
        self.emit(Op::Halt, [0; 4]);
    }

    /// Says that an argument list does not fit.
    #[track_caller]
    pub(super) fn mismatch(&self, name: &str, wanted: &[TypeRef], found: &[TypeRef]) {
        self.mistake(format!(
            "`{name}` takes ({}), and is given ({})",
            TypeRef::listed(wanted),
            TypeRef::listed(found)
        ));
    }
}

/// A constant.
impl<'b, T: VmType> Argument<'b> for T {
    #[track_caller]
    fn argument(self, body: &'b Body) -> (TypeRef, Word) {
        body.constant(self).argument(body)
    }
}

impl<'b, T: VmType> Argument<'b> for Value<'b, T> {
    #[track_caller]
    fn argument(self, body: &'b Body) -> (TypeRef, Word) {
        let value = Operand::<T>::value(self, body);
        (<T as Plain>::VALUE, value.word)
    }
}
