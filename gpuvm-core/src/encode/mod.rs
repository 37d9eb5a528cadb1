//! Build time: node stream + facts → instructions and matrices, in `const fn` only. One linear walk, nothing is optimised. The same
//! functions run in tests at run time.

mod activation;
mod aggregate;
mod atomic;
mod bit_methods;
mod cast;
mod compare;
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
mod shift;
mod state;
#[cfg(test)]
mod tests;
mod walk;
mod wide;

use std::borrow::Cow;

pub use gpuvm_nodes::{method, node};

use crate::facts::Facts;
use crate::isa::Instruction;
use crate::matrix::{MatrixRecord, Term};
use crate::routine::{Callee, Constant, Inferred, Level, Piece, Routine, Site, Variable};
use crate::types::{ConstantValue, ConstantWord, TypeRef};
use state::{Encoder, List};

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

/// An encoded routine in lists of fixed room.
#[derive(Clone, Copy)]
pub struct Encoded<const CAP: usize> {
    words: u32,
    overflowed: bool,
    code: List<Instruction, CAP>,
    lines: List<u32, CAP>,
    matrices: List<MatrixRecord, CAP>,
    terms: List<Term, CAP>,
    callees: List<Callee, CAP>,
    constants: List<Constant, CAP>,
    sites: List<Site, CAP>,
    variables: List<Variable, CAP>,
    pieces: List<Piece, CAP>,
}

/// Encodes a routine; each list in it has room for `CAP` entries.
///
/// [`Encoding`](crate::marker::Encoding) calls it for the types that stand for routines.
///
/// # Panics
///
/// Where the source cannot be encoded; at build time rustc shows the text as an error of the constant.
pub const fn encode<const CAP: usize>(source: &'static Source) -> Encoded<CAP> {
    let mut encoder = Encoder::<CAP>::new(source);
    encoder.walk();
    let overflowed = encoder.overflowed();
    if !overflowed {
        encoder.patch_jumps();
    }
    encoder.finished(overflowed)
}

impl<const CAP: usize> Encoded<CAP> {
    /// Whether the routine needed more room than `CAP`; then nothing in it is of use.
    pub const fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// The routine, borrowing what was encoded.
    pub const fn routine(&'static self, source: &'static Source) -> Routine {
        Routine {
            name: Cow::Borrowed(source.name),
            file: Cow::Borrowed(source.file),
            line: source.line,
            params: Cow::Borrowed(source.params),
            result: source.result,
            words: self.words,
            code: Cow::Borrowed(self.code.slice()),
            lines: Cow::Borrowed(self.lines.slice()),
            matrices: Cow::Borrowed(self.matrices.slice()),
            terms: Cow::Borrowed(self.terms.slice()),
            callees: Cow::Borrowed(self.callees.slice()),
            constants: Cow::Borrowed(self.constants.slice()),
            sites: Cow::Borrowed(self.sites.slice()),
            variables: Cow::Borrowed(self.variables.slice()),
            pieces: Cow::Borrowed(self.pieces.slice()),
            relaxed: source.relaxed,
            is_const: source.is_const,
        }
    }
}

/// The words of a value, to be the constant of [`node::Node::Constant`].
pub fn constant_words<T: ConstantValue>(value: &T) -> Vec<ConstantWord> {
    value.constant_words()
}
