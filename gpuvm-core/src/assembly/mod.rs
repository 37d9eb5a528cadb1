//! Programs as text: [`disassemble`](crate::program::Program::disassemble) prints one and [`assemble`] reads it back without
//! loss. A program that was never Rust can be written this way.
//!
//! One item a line; `;` starts a comment. First the header, in any order, then `code` and the instructions:
//!
//! ```text
//! program "double"
//! param u32                      ; one line a parameter: a type
//! result u32
//! frame_words 0                  ; these four may be left out
//! addressed_words 0              ; of the frame's first words, how many an address may lead to: all, if nothing is said
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

//!
//! # Routines
//!
//! [`assemble_routine`] reads what is not linked yet, in the same form but for its header. Several may follow each other, each of which may call those before it, and the last is what the text stands for:
//!
//! ```text
//! routine "step"                 ; steps of Collatz's kind, by a table of factors
//! param u32
//! result u32
//! table 0x5 0x3                  ; the words of a constant, which lines of `more` continue
//! code
//!     andi w1, w0, 1
//!     jz @even, w1
//! data 0                         ; the two that follow get the address of table 0; after `constant 0` as many as it has words get these
//!     imm w2, 0
//!     imm w3, 0
//!     imm w4, 1
//!     add w3, w3, w4
//!     load w4, w2, w3, 0
//!     mul w0, w0, w4
//!     addi w0, w0, 1
//!     ret w0
//! even:
//!     shri w0, w0, 1
//!     ret w0
//! routine "collatz"
//! file "collatz.s" 1             ; and the line of its name; may be left out, as all that follows but the code
//! param u32 "n"                  ; a type, and a name if it has one; its words are the first, w0 here
//! result u32
//! words 6                        ; as many as are named, if nothing is said
//! callee 0                       ; c0: the first routine of the text, …
//! callee "step"                  ; … the last one of that name, or one of the binary by id, …
//! callee library isqrt_u32       ; … or a function of the library; `binary "step"` is one of the binary in any case
//! site 3 message "too many"      ; s0: line, and the cause
//! variable 1 2:9 "steps" u32     ; word, first and last line, name and type
//! code
//! at 2                           ; the line that the following instructions come from
//!     imm w1, 0
//!     imm w2, 1
//!     imm w3, 1000
//! loop:
//!     eq w4, w0, w2
//!     jnz @end, w4
//!     addi w1, w1, 1
//!     ltu w5, w3, w1
//! at 3
//!     trapnz s0, w5, _, _
//!     call c1, w0, w0
//!     jump @loop
//! end:
//!     ret w1
//! ```
//!
//! Matrices follow from the instructions. A routine with [tables](crate::routine::RoutineRef::with_table) is a line `tabled 3`, or any other name of a routine, and for each table `instead binary "step" 4`: what is called in place of what.

mod cursor;
mod operands;
mod parse;
mod print;
mod routine;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod types;

pub use parse::assemble;
pub use routine::assemble_routine;

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct AssemblyError {
    /// The line, from 1 on; 0 where the program as a whole is wrong.
    pub line: usize,
    /// What is wrong and what is accepted instead.
    pub what: String,
}
