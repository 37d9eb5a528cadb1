//! Calls of other routines, and of the library's functions.

use super::{Body, Value, Word};
use crate::isa::Op;
use crate::library::number;
use crate::routine::{Asking, Callee, Cause, RoutineRef};
use crate::types::{TypeRef, VmType};

/// What a routine may be called with: values and constants, slices, places.
pub trait Argument<'b> {
    #[doc(hidden)]
    fn argument(self, body: &'b Body) -> (TypeRef, Word);
}

/// A tuple of arguments.
pub trait Arguments<'b> {
    #[doc(hidden)]
    fn arguments(self, body: &'b Body) -> Vec<(TypeRef, Word)>;
}

/// Arguments whose number is only known at run time, of one type.
impl<'b, A: Argument<'b> + Copy> Arguments<'b> for &[A] {
    #[track_caller]
    fn arguments(self, body: &'b Body) -> Vec<(TypeRef, Word)> {
        let mut all = Vec::with_capacity(self.len());
        for argument in self {
            all.push(argument.argument(body));
        }
        all
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*);)*) => {$(
        impl<'b, $($name: Argument<'b>),*> Arguments<'b> for ($($name,)*) {
            #[track_caller]
            fn arguments(self, body: &'b Body) -> Vec<(TypeRef, Word)> {
                let _ = body;
                vec![$(self.$index.argument(body)),*]
            }
        }
    )*};
}
tuples! {
    ();
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
}

impl Body {
    /// Calls a routine that was built before, or one of the binary: what it returns has type `R`.
    #[track_caller]
    pub fn call<'b, R: VmType>(&'b self, routine: &impl AsRef<RoutineRef>, args: impl Arguments<'b>) -> Value<'b, R> {
        let routine = routine.as_ref();
        let args = args.arguments(self);
        let found: Vec<TypeRef> = args.iter().map(|(ty, _)| *ty).collect();
        let mut given = found.iter().zip(routine.params.iter());
        let fits = routine.params.len() == found.len() && given.all(|(found, wanted)| found.serves_as(*wanted));
        if !fits {
            self.mismatch(&routine.name, &routine.params, &found);
            return Value::of(self, self.words(R::TYPE.words));
        }
        if routine.result.words() != R::TYPE.words || !routine.result.ty.same(R::TYPE) {
            self.mistake(format!(
                "`{}` returns `{}`, and not `{}`",
                routine.name,
                routine.result,
                TypeRef::value(R::TYPE)
            ));
        }
        let callee = self.held(routine);
        Value::of(self, self.call_words(callee, &args, R::TYPE.words))
    }

    /// Asks the host, `vm::ask(question)`: the answer has type `A`.
    #[track_caller]
    pub fn ask<'b, Q: VmType, A: VmType>(&'b self, question: impl Argument<'b>) -> Value<'b, A> {
        let (ty, word) = question.argument(self);
        if ty.refs > 0 || !ty.ty.same(Q::TYPE) {
            self.mistake(format!(
                "a question of type `{}` is asked, and not `{ty}`",
                TypeRef::value(Q::TYPE)
            ));
            return Value::of(self, self.words(A::TYPE.words));
        }
        let asking = Asking {
            question: Q::TYPE,
            answer: A::TYPE,
        };
        let site = self.site(Cause::Ask(asking));
        let base = self.words(asking.words());
        self.copy(base, word, Q::TYPE.words);
        let callee = self.inner.borrow_mut().callee(Callee::Library(number::ask));
        self.emit(Op::Ask, [site, base, asking.words(), callee]);
        let answer = self.words(A::TYPE.words);
        self.copy(answer, base, A::TYPE.words);
        Value::of(self, answer)
    }

    /// Calls a function of the library.
    #[track_caller]
    pub(super) fn library(&self, function: u32, args: &[(TypeRef, Word)], results: u32) -> Word {
        let callee = self.inner.borrow_mut().callee(Callee::Library(function));
        self.call_words(callee, args, results)
    }

    /// The callee of a routine that this one holds.
    pub(super) fn held(&self, routine: &RoutineRef) -> u32 {
        let mut inner = self.inner.borrow_mut();
        let held = routine.hold(&mut inner.held);
        inner.callee(held)
    }

    #[track_caller]
    pub(super) fn call_words(&self, callee: u32, args: &[(TypeRef, Word)], results: u32) -> Word {
        let words = args.iter().map(|(ty, _)| ty.words()).sum();
        let first = self.words(words);
        let mut to = first;
        for (ty, word) in args {
            self.copy(to, *word, ty.words());
            to += ty.words();
        }
        let result = self.words(results);
        self.emit(Op::Call, [callee, first, result, 0]);
        result
    }
}

impl AsRef<RoutineRef> for RoutineRef {
    fn as_ref(&self) -> &RoutineRef {
        self
    }
}
