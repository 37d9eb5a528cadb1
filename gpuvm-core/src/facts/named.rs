//! Names that may be those of constructors: case tells functions from constants and variants, `square` from `LIMIT` and `Some`, but not the constructor
//! of `struct W(u32)`, a function, from either. The type of what the name stands for does.

use super::{ConstructorSlot, Slot, TypeSlot};
use crate::types::{ConstantValue, ConstantWord, Value, constant_words};

/// What a name stands for: a value, or, where `M` is a tuple of the fields' types, the function that makes one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used inside a #[routine]",
    label = "neither a value of the machine nor the constructor of one",
    note = "if `{Self}` is your own struct or enum, add `#[derive(VmType, Clone, Copy)]` to its definition"
)]
pub trait Named<M> {
    /// What fills a slot with it.
    type Slot: Slot;
    /// What a constructor results in; nothing where the name is a value's.
    type Result;
}

impl<T: Value> Named<()> for T {
    type Slot = TypeSlot<T::Erased>;
    type Result = ();
}

/// The words of what a name stands for.
pub trait NamedWords<M> {
    /// The words of the constant; of a constructor nobody asks for them.
    fn words(&self) -> Vec<ConstantWord>;
}

impl<T: ConstantValue> NamedWords<()> for T {
    fn words(&self) -> Vec<ConstantWord> {
        constant_words(self)
    }
}

macro_rules! constructors {
    ($($($field:ident)*;)*) => {$(
        impl<F: Fn($($field),*) -> R, R: Value, $($field),*> Named<($($field,)*)> for F
        where
            R::Erased: Sized,
        {
            type Slot = ConstructorSlot<R::Erased>;
            type Result = R::Erased;
        }

        impl<F: Fn($($field),*) -> R, R, $($field),*> NamedWords<($($field,)*)> for F {
            fn words(&self) -> Vec<ConstantWord> {
                Vec::new()
            }
        }
    )*};
}
constructors! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E G;
    A B C D E G H;
    A B C D E G H I;
}
