//! What the methods of a plan take beside handles: columns to read, and several handles at once.

use gpuvm_core::types::VmType;

use crate::handle::Handle;

use crate::arg::Element;
use crate::vector::Column;

/// A column that a plan can read.
pub trait PlanInput<'a> {
    /// Makes the column.
    #[doc(hidden)]
    fn into_column(self) -> InputColumn<'a>;
}

/// What a [`PlanInput`] makes.
#[doc(hidden)]
pub struct InputColumn<'a>(Box<dyn Column + 'a>);

impl<'a> InputColumn<'a> {
    pub(super) fn into_box(self) -> Box<dyn Column + 'a> {
        self.0
    }
}

macro_rules! inputs {
    ($([$($generics:tt)*] $ty:ty, $column:ident => $as:expr;)*) => {$(
        impl<'a, $($generics)*> PlanInput<'a> for $ty {
            fn into_column(self) -> InputColumn<'a> {
                let $column = self;
                InputColumn(Box::new($as))
            }
        }
    )*};
}
inputs! {
    [T: Element + VmType] &'a [T], column => column;
    [T: Element + VmType] &'a Vec<T>, column => column;
    [T: Element + VmType, const N: usize] &'a [T; N], column => column.as_slice();
    [T: Element + VmType] Vec<T>, column => column;
}

/// Several handles: a tuple or an array.
pub trait Handles {
    /// The handles, in order.
    #[doc(hidden)]
    fn into_handles(self) -> Vec<Handle>;
}

impl<const N: usize> Handles for [Handle; N] {
    fn into_handles(self) -> Vec<Handle> {
        self.to_vec()
    }
}

macro_rules! handles {
    ($(($($name:ident)+);)*) => {$(
        impl Handles for ($(handles!(@ $name),)+) {
            fn into_handles(self) -> Vec<Handle> {
                let ($($name,)+) = self;
                vec![$($name),+]
            }
        }
    )*};
    (@ $name:ident) => { Handle };
}
handles! {
    (a);
    (a b);
    (a b c);
    (a b c d);
    (a b c d e);
    (a b c d e f);
    (a b c d e f g);
    (a b c d e f g h);
}
