//! Build time: node stream + facts → instructions and matrices, in `const fn` only. One linear walk, nothing is optimised. The same
//! functions run in tests at run time.

mod activation;
mod aggregate;
mod ask;
mod atomic;
mod bit_methods;
mod cast;
mod clone;
mod compare;
mod copy;
mod double;
mod double_methods;
mod float_methods;
mod index;
mod integer_methods;
mod method_call;
mod number;
mod operand;
mod order;
mod overflow_methods;
mod piece;
mod print;
mod room;
mod shift;
mod state;
#[cfg(test)]
mod tests;
mod through;
mod walk;
mod wide;

pub use gpuvm_nodes::{method, node};
pub use room::{Encoded, encode};

use crate::facts::Facts;
use crate::routine::{Inferred, Level};
use crate::types::{ConstantWord, TypeRef};

/// What the macro emits of one routine.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The function's name, `Type::method` for a method.
    pub name: &'static str,
    /// `file!()`.
    pub file: &'static str,
    /// The line of the function's name.
    pub line: u32,
    /// Types of the parameters.
    pub params: &'static [TypeRef],
    /// Type of the result.
    pub result: TypeRef,
    /// The node stream; see [`node`].
    pub nodes: &'static [u8],
    /// The facts that the nodes' slots name.
    pub facts: &'static Facts,
    /// Levels of the tree of facts.
    pub depth: u32,
    /// The user's constants, by number.
    pub constants: &'static [fn() -> Vec<ConstantWord>],
    /// Those whose types their uses decide.
    pub inferred: &'static dyn Inferred,
    /// The texts of `panic!`, `assert!` and `println!`, by number.
    pub messages: &'static [Message],
    /// Names of the locals, by number; empty for hidden ones.
    pub locals: &'static [&'static str],
    /// How many labels there are.
    pub labels: u32,
    /// How many joins there are.
    pub joins: u32,
    /// Whether integer overflow and overlong shifts trap: `cfg!(debug_assertions)` of the user's crate. `None` for what stands in for std's
    /// functions: there it is as where they are called.
    pub checks: Option<bool>,
    /// Whether a launch of the routine trades exact floats for speed.
    pub relaxed: bool,
    /// Whether the function is `const`.
    pub is_const: bool,
    /// Whether it is given closures and calls itself: then it is not written where it is called, but becomes a function for these closures.
    pub recursive: bool,
}

impl Source {
    /// Whether it stands in for one of std's functions. Of those that are written into their callers nobody is shown variables.
    const fn is_std(&self) -> bool {
        self.checks.is_none()
    }
}

/// The text of a `panic!`, an `assert!` or a `println!`.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The text around the values: one piece more than there are values, of which a trap has at most two.
    pub pieces: &'static [&'static str],
    /// How each value is shown: what stands behind the colon of its placeholder.
    pub formats: &'static [&'static str],
    /// At which level it is printed; a trap pays no attention to it.
    pub level: Level,
}
