//! Methods of numbers and `bool` that are whole functions.

mod ascii;
mod bytes;
mod float;
mod integer;
mod mixed;
mod strict;

pub use integer::Integer;
pub use mixed::{Signed, Unsigned};

use gpuvm_macros::routine;

use super::generic_methods;
use crate::types::Static;

#[routine(library)]
fn then<T: Static>(condition: bool, f: fn() -> T) -> Option<T> {
    if condition { Some(f()) } else { None }
}

#[routine(library)]
fn then_some<T: Static>(condition: bool, value: T) -> Option<T> {
    if condition { Some(value) } else { None }
}

generic_methods! {
    [T: Static] bool, then(()) -> Option<T> = then<T>;
    [T: Static] bool, then_some(()) -> Option<T> = then_some<T>;
}
