//! A type without values that the routines of another file have as an argument.

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chain;
