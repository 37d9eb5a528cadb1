//! The parts of Rust's own library that are functions, written in gpuvm's language: methods of `Option`, `Result`, slices and arrays, and
//! iterators. Natively std's own run; these are what routines call in their place, found by the traits of [`facts`](crate::facts) from the types
//! that rustc infers. Their code never runs here, so that they may say what only the machine may do ([`intrinsics`]).

mod atomic;
mod bound;
mod cell;
mod char;
mod compare;
mod convert;
pub mod duration;
mod enclosed;
pub mod fmt;
mod functions;
#[cfg(feature = "half")]
pub mod half;
pub mod hash;
pub mod iter;
mod lends;
mod non_zero;
mod option;
pub mod ordering;
mod result;
mod scalar;
mod slice;
mod text;
mod unicode;

/// Makes routines what methods are of types, by receiver and name.
macro_rules! methods {
    ($([$($generics:tt)*] $ty:ty, $name:ident = $routine:ty;)*) => {$(
#[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::facts::Method<{ gpuvm_macros::name_hash!($name) }> for $ty {
            type Slot = $crate::facts::MethodSlot<{ gpuvm_macros::name_hash!($name) }, Self>;
            const CALL: Option<$crate::facts::CallFact> = Some($crate::facts::CallFact::of::<$routine>());
        }
    )*};
}

/// Makes routines what methods are of types, by receiver, name, what decides beside it, and result.
macro_rules! generic_methods {
    ($([$($generics:tt)*] $ty:ty, $name:ident ($decides:ty) -> $result:ty = $routine:ty;)*) => {$(
#[diagnostic::do_not_recommend]
        impl<$($generics)*> $crate::facts::GenericMethod<{ gpuvm_macros::name_hash!($name) }, $decides, $result> for $ty {
            type Slot = $crate::facts::GenericSlot<{ gpuvm_macros::name_hash!($name) }, Self, $decides, $result>;
            const CALL: Option<$crate::facts::CallFact> = Some($crate::facts::CallFact::of::<$routine>());
        }
    )*};
}

/// Makes routines what operators are.
macro_rules! operators {
    ($([$($generics:tt)*] $left:ty, $operator:ident $right:ty = $routine:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<L: ?Sized, R: ?Sized, $($generics)*> $crate::facts::Operation<{ $crate::encode::node::Operator::$operator as u8 }, $right, L, R> for $left {
            type Slot = $crate::facts::OperatorSlot<{ $crate::encode::node::Operator::$operator as u8 }, Self, $right, L, R>;
            const CALL: Option<$crate::facts::CallFact> = Some($crate::facts::CallFact::of::<$routine>());
        }
    )*};
}

pub use slice::SelectNth;
pub use text::{TEXT_COMPARISONS, packed};

pub mod routines {
    //! The routines of functions that are called by path.

    pub use super::functions::*;
    pub use super::text::from_utf8;
}

use {generic_methods, methods, operators};

/// What the macro turns into single nodes: elements and parts of lists that are known to be inside, and the beginning of an iteration.
mod intrinsics {
    const NATIVELY: &str = "gpuvm's own std does not run natively";

    pub fn element<'a, T>(_: &&'a [T], _: usize) -> &'a T {
        unreachable!("{NATIVELY}")
    }

    pub fn element_mut<'a, T>(_: &&'a mut [T], _: usize) -> &'a mut T {
        unreachable!("{NATIVELY}")
    }

    pub fn part<'a, T>(_: &&'a [T], _: usize, _: usize) -> &'a [T] {
        unreachable!("{NATIVELY}")
    }

    pub fn part_mut<'a, T>(_: &&'a mut [T], _: usize, _: usize) -> &'a mut [T] {
        unreachable!("{NATIVELY}")
    }

    /// The elements from the first one on, or a value alone, as an array, or as a slice of `_length` elements of another size.
    pub fn view<'a, T: ?Sized, U: ?Sized>(_: &&'a T, _length: usize) -> &'a U {
        unreachable!("{NATIVELY}")
    }

    pub fn view_mut<'a, T, U: ?Sized>(_: &&'a mut [T], _length: usize) -> &'a mut U {
        unreachable!("{NATIVELY}")
    }

    /// A value of what would be moved.
    pub fn copy<T>(_: &T) -> T {
        unreachable!("{NATIVELY}")
    }

    /// The same as its own type clones it.
    pub fn clone<T>(_: &T) -> T {
        unreachable!("{NATIVELY}")
    }

    /// The same words as a value of another type.
    pub fn words<T, U>(_: T) -> U {
        unreachable!("{NATIVELY}")
    }

    /// A field that is set before it is read.
    pub fn unset<T>() -> T {
        unreachable!("{NATIVELY}")
    }

    /// A number as another, as `as` has it.
    pub fn cast<A, B>(_: A) -> B {
        unreachable!("{NATIVELY}")
    }

    /// A value without words.
    pub fn nothing<T>() -> T {
        unreachable!("{NATIVELY}")
    }

    /// Gives the elements to a function, one after the other, until there are no more or it says `false`.
    pub fn each<I: Iterator>(_: &mut I, _: impl FnMut(I::Item) -> bool) {
        unreachable!("{NATIVELY}")
    }

    /// Shows a value in a style, a number of [`Style`](gpuvm_nodes::Style), as a formatter says.
    pub fn formatted<const STYLE: u8>(_: &impl Sized, _: &impl Sized) -> std::fmt::Result {
        unreachable!("{NATIVELY}")
    }

    /// What a `for` loop would ask for elements.
    pub fn iterator<T: crate::facts::Iterable>(_: T) -> T::Iterator {
        unreachable!("{NATIVELY}")
    }
}
