//! Methods of slices and arrays. What may trap is written where it is called, so that its trap is on the user's line, as std's panic is.

mod access;
mod array;
mod ascii;
mod change;
mod parts;
mod search;
mod sort;

pub use sort::SelectNth;

use super::{generic_methods, intrinsics, methods};
use crate::encode::node::Operator;
use crate::facts::Operation;
use crate::types::{Static, Value};

const EQUAL: u8 = Operator::Eq as u8;

/// What may be compared with `==` inside a routine.
pub trait Comparable: Static + PartialEq + Value<Inner: Operation<EQUAL, <Self as Value>::Inner>> {}

impl<T> Comparable for T where T: Static + PartialEq + Value<Inner: Operation<EQUAL, <T as Value>::Inner>> {}

/// The same methods of slices and of arrays.
macro_rules! list_methods {
    ($([$($generics:tt)*] $t:ty: $($name:ident = $routine:ty),*;)*) => {$(
        list_methods! { @each [$($generics)*] $t; $($name = $routine),* }
    )*};
    (@each $generics:tt $t:ty; $($name:ident = $routine:ty),*) => {$(
        list_methods! { @one $generics $t; $name = $routine }
    )*};
    (@one [] $t:ty; $name:ident = $routine:ty) => {
        $crate::stdlib::methods! {
            [] [$t], $name = $routine;
            [const N: usize] [$t; N], $name = $routine;
        }
    };
    (@one [$($generics:tt)*] $t:ty; $name:ident = $routine:ty) => {
        $crate::stdlib::methods! {
            [$($generics)*] [$t], $name = $routine;
            [$($generics)*, const N: usize] [$t; N], $name = $routine;
        }
    };
}
pub(in crate::stdlib) use list_methods;

/// The same for methods that depend on more than their receiver.
macro_rules! generic_list_methods {
    ($([$($generics:tt)*] $name:ident ($decides:ty) -> $result:ty = $routine:ty;)*) => {
        $crate::stdlib::generic_methods! {
            $(
                [$($generics)*] [T], $name($decides) -> $result = $routine;
                [$($generics)*, const N: usize] [T; N], $name($decides) -> $result = $routine;
            )*
        }
    };
}
pub(in crate::stdlib) use generic_list_methods;
