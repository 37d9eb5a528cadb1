//! Programs as text: [`disassemble`](crate::program::Program::disassemble) prints one and [`assemble`] reads it back without
//! loss. A program that was never Rust can be written this way.
//!
//! One item a line; `;` starts a comment. First the header, in any order, then `code` and the instructions:
//!
//! ```text
//! program "double"
//! param u32                      ; one line a parameter: a type
//! result u32
//! frame_words 0                  ; these three may be left out
//! call_depth 0
//! depth_limit 256
//! relaxed                        ; only where floats may be inexact on a GPU
//! file "double.rs"               ; files and routines are numbered in order
//! routine "double"
//! site 0:3:0 bounds              ; file:line:routine, then the cause
//! matrix sparse w2 =int w1*0x2   ; rows: ring, then terms in order
//! data 0x5 0x7                   ; words that loads from space 3 read, in as many lines as one likes
//! code
//! at 0:3:0                       ; where the following instructions come from
//! start:                         ; a label, used as `@start`; a number is one too
//!     param w0, 0
//!     imm w3, 1                  ; a linear instruction that names no matrix gets its own
//!     load w1, w3, w0, 0
//!     muli w2, w1, 2, m0
//!     param w0, 1
//!     store w2, w3, w0, 0
//!     halt
//! ```
//!
//! Where the source's variables are may be said too: `variable routine:first_line:last_line "name" type` and `scope routine:line in
//! scope` in the header, a scope for each function (without `in`) and for each call that was inlined, on its line; then, in the code,
//! `inside scope` for the instructions that follow, and for one word of a variable `enters scope:variable:word place` before an
//! instruction or `holds scope:variable:word place` after it, the place being `w5`, `frame 3`, `constant 7` or `nowhere`.
//!
//! Operands stand in the order of the opcode table: `w5` a word, `w5:w6` a pair, `_` no word (in traps), `@12` a label, `m0` a
//! matrix, `s0` a site, and numbers. A term of a matrix is `coefficient`, `wN*coefficient` or, for `bits` rows,
//! `wN<<<rotation*mask`; coefficients of `f32` rows are the bits of the number.

mod cursor;
mod parse;
mod print;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod types;

pub use parse::assemble;

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct AssemblyError {
    /// The line, from 1 on; 0 where the program as a whole is wrong.
    pub line: usize,
    /// What is wrong and what is accepted instead.
    pub what: String,
}
