//! The encoder's state and its pen: instructions with their matrices, fresh words, labels, trap sites.

use super::Source;
use super::activation::{Activation, Closure, OwnLocals};
use super::operand::Operand;
use super::piece::{Function, Reached};
use super::room::List;
use crate::isa::{Class, Instruction, Op};
use crate::matrix::{CONSTANT, InstructionTerms, PackedTerm};
use crate::routine::{Callee, Cause, Constant, Piece, Site, Variable};
use crate::types::{TypeRef, Value};

/// How many words a routine may number: pair operands have 16 bits for each.
pub(super) const MOST_WORDS: u32 = 0xfff0;

/// A label that no node has placed yet.
pub(super) const UNPLACED: u32 = u32::MAX;

/// What the value of an `if`, `match` or `loop` is known to be.
#[derive(Clone, Copy)]
pub(super) struct Join {
    pub ty: Option<TypeRef>,
    pub base: u32,
    pub set: bool,
    /// In place of words, where the value is for the encoder alone.
    pub opaque: Option<Operand>,
}

impl Join {
    /// A join that no branch has set.
    pub const OPEN: Join = Join {
        ty: None,
        base: 0,
        set: false,
        opaque: None,
    };
}

/// The walk's state.
pub(super) struct Encoder<'r> {
    /// The source that is being walked, where the walk is in it, and where it ends.
    pub source: &'static Source,
    pub nodes: &'static [u8],
    pub own_locals: OwnLocals,
    pub at: usize,
    pub end: usize,
    /// The number of the activation that is being walked.
    pub current: u32,
    pub activations: List<'r, Activation>,
    pub closures: List<'r, Closure>,
    /// Fields of values that are for the encoder alone.
    pub parts: List<'r, Operand>,
    pub line: u32,
    /// The last line that the activation at hand has come to so far; the line itself goes back where loops do.
    pub furthest: u32,
    pub words: u32,
    pub stack: List<'r, Operand>,
    pub locals: List<'r, Operand>,
    pub joins: List<'r, Join>,
    pub labels: List<'r, u32>,
    pub jumps: List<'r, u32>,
    pub code: List<'r, Instruction>,
    /// The lines of these.
    pub lines: &'r mut [u32],
    pub matrices: List<'r, u32>,
    pub terms: List<'r, PackedTerm>,
    pub callees: List<'r, Callee>,
    pub constants: List<'r, Constant>,
    pub sites: List<'r, Site>,
    pub variables: List<'r, Variable>,
    /// The local that each variable is.
    pub local_of: List<'r, u32>,
    /// The functions that are being written, the innermost last.
    pub functions: List<'r, Function>,
    /// What these use of the functions around them.
    pub reached: List<'r, Reached>,
    pub pieces: List<'r, Piece>,
    /// The terms of the last linear instruction.
    pub row: InstructionTerms,
    /// Whether some list needed more room than it has.
    pub full: bool,
}

impl Encoder<'_> {
    /// Writes one instruction, and its matrix if it is linear.
    pub const fn emit(&mut self, op: Op, mut operands: [u32; 4]) {
        let number = op as usize;
        if matches!(Op::CLASSES[number], Class::Linear) {
            self.row.fill(op, operands);
            operands[3] = self.matrices.len as u32;
            self.push_row();
        }
        // Written out, as most of what is pushed is this, and operands: a call costs rustc's interpreter as much as six statements.
        let at = self.code.len;
        if at < self.code.room {
            self.code.items[at] = Instruction {
                opcode: Op::CODES[number],
                operands,
            };
            self.lines[at] = self.line;
        } else {
            self.full = true;
        }
        self.code.len = at + 1;
    }

    /// `to = from`
    pub const fn copy(&mut self, to: u32, from: u32) {
        self.emit_term(Op::Mov, to, from, from, 1);
    }

    /// `to = value`
    pub const fn set(&mut self, to: u32, value: u32) {
        self.emit_term(Op::Imm, to, value, CONSTANT as u32, value);
    }

    /// Writes one of the two instructions whose matrix has one term, of integers, most of what is written.
    const fn emit_term(&mut self, op: Op, to: u32, from: u32, column: u32, coefficient: u32) {
        let at = self.code.len;
        let matrix = self.matrices.len;
        let term = self.terms.len;
        if at < self.code.room && term < self.terms.room {
            self.code.items[at] = Instruction {
                opcode: Op::CODES[op as usize],
                operands: [to, from, 0, matrix as u32],
            };
            self.lines[at] = self.line;
            self.matrices.items[matrix] = term as u32;
            self.terms.items[term] = [to | column << 16, 0, coefficient];
        } else {
            self.full = true;
        }
        self.code.len = at + 1;
        self.matrices.len = matrix + 1;
        self.terms.len = term + 1;
    }

    /// Adds the matrix of the last linear instruction of more than one term.
    const fn push_row(&mut self) {
        let (matrix, first, count) = (self.matrices.len, self.terms.len, self.row.count);
        if matrix < self.matrices.room && first + count <= self.terms.room {
            self.matrices.items[matrix] = first as u32;
            let mut i = 0;
            while i < count {
                self.terms.items[first + i] = self.row.terms[i].packed();
                i += 1;
            }
        } else {
            self.full = true;
        }
        self.matrices.len = matrix + 1;
        self.terms.len = first + count;
    }

    /// Notes a callee. Gives its number.
    pub const fn callee(&mut self, callee: Callee) -> u32 {
        let number = self.callees.len as u32;
        self.callees.push(callee, &mut self.full);
        number
    }

    /// `count` words that nothing else uses. If there are not as many, there is no room.
    pub const fn fresh(&mut self, count: u32) -> u32 {
        let base = self.words;
        if count > MOST_WORDS || base + count > MOST_WORDS {
            self.words = MOST_WORDS + 1;
            self.full = true;
        } else {
            self.words = base + count;
        }
        base
    }

    /// A fresh word with the result of an instruction of up to three inputs.
    pub const fn word(&mut self, op: Op, a: u32, b: u32, c: u32) -> u32 {
        let d = self.fresh(1);
        self.emit(op, [d, a, b, c]);
        d
    }

    /// A fresh word with a constant.
    pub const fn imm(&mut self, value: u32) -> u32 {
        let word = self.fresh(1);
        self.set(word, value);
        word
    }

    /// The word where `condition` is 1 or 0, `then` or `otherwise`.
    pub const fn select(&mut self, condition: u32, then: u32, otherwise: u32) -> u32 {
        self.word(Op::Select, condition, then, otherwise)
    }

    /// A label that is placed nowhere yet.
    pub const fn new_label(&mut self) -> u32 {
        self.labels.extend(1, &mut self.full)
    }

    /// Puts a label of the macro's here.
    pub const fn place(&mut self, label: u32) {
        let label = self.label(label);
        self.place_here(label);
    }

    /// Puts a label, by its number of the encoder's, here.
    pub const fn place_here(&mut self, label: u32) {
        self.labels.items[label as usize] = self.code.len as u32;
    }

    /// Whether a label was placed here, behind the last instruction.
    pub const fn ends_in_label(&self) -> bool {
        let mut label = 0;
        while label < self.labels.len {
            if self.labels.items[label] == self.code.len as u32 {
                return true;
            }
            label += 1;
        }
        false
    }

    /// Goes to a label of the macro's.
    pub const fn jump(&mut self, op: Op, label: u32, condition: u32) {
        let label = self.label(label);
        self.jump_to(op, label, condition);
    }

    /// Goes to a label, by its number of the encoder's.
    pub const fn jump_to(&mut self, op: Op, label: u32, condition: u32) {
        self.jumps.push(self.code.len as u32, &mut self.full);
        self.emit(op, [label, condition, 0, 0]);
    }

    /// The number of a new trap site on the current line.
    pub const fn site(&mut self, cause: Cause) -> u32 {
        self.sites.push(Site { line: self.line, cause }, &mut self.full);
        self.sites.len as u32 - 1
    }

    /// Traps with a fixed text where the word is not 0.
    pub const fn trap_if(&mut self, condition: u32, text: &'static str) {
        let site = self.site(Cause::Message(text));
        self.emit(Op::TrapIf, [site, condition, crate::isa::NO_WORD, crate::isa::NO_WORD]);
    }

    /// Writes the instruction numbers of labels into the jumps.
    pub const fn patch_jumps(&mut self) {
        let mut i = 0;
        while i < self.jumps.len {
            let at = self.jumps.items[i] as usize;
            let label = self.labels.items[self.code.items[at].operands[0] as usize];
            assert!(label != UNPLACED, "a jump goes to a label that was never placed");
            self.code.items[at].operands[0] = label;
            i += 1;
        }
    }

    // The node stream.

    /// The next byte of the stream.
    pub const fn byte(&mut self) -> u8 {
        let at = self.at;
        self.at = at + 1;
        self.nodes[at]
    }

    /// The next LEB128 number of the stream. Most have one byte.
    pub const fn number(&mut self) -> u128 {
        let mut at = self.at;
        let mut byte = self.nodes[at];
        let mut value = byte as u128;
        if byte >= 0x80 {
            value &= 0x7f;
            let mut shift = 7;
            while byte >= 0x80 {
                at += 1;
                byte = self.nodes[at];
                value |= ((byte & 0x7f) as u128) << shift;
                shift += 7;
            }
        }
        self.at = at + 1;
        value
    }

    /// The next number, where 32 bits are enough.
    pub const fn small(&mut self) -> u32 {
        let byte = self.nodes[self.at] as u32;
        if byte < 0x80 {
            self.at += 1;
            return byte;
        }
        self.number() as u32
    }

    /// The next four-byte hash.
    pub const fn hash(&mut self) -> u32 {
        let (nodes, at) = (self.nodes, self.at);
        self.at = at + 4;
        nodes[at] as u32 | (nodes[at + 1] as u32) << 8 | (nodes[at + 2] as u32) << 16 | (nodes[at + 3] as u32) << 24
    }

    // The operand stack.

    pub const fn push(&mut self, operand: Operand) {
        let at = self.stack.len;
        if at < self.stack.room {
            self.stack.items[at] = operand;
        } else {
            self.full = true;
        }
        self.stack.len = at + 1;
    }

    /// The last operand that was pushed, which there is: rustc tells an underflow as it tells one of an index.
    pub const fn pop(&mut self) -> Operand {
        let at = self.stack.len - 1;
        self.stack.len = at;
        self.stack.items[at]
    }

    /// The operand `depth` below the top.
    pub const fn peek(&self, depth: usize) -> Operand {
        self.stack.items[self.stack.len - 1 - depth]
    }

    /// A bool that an instruction has just made.
    pub const fn push_bool(&mut self, word: u32) {
        self.push(Operand::fresh(TypeRef::value(<bool as Value>::TYPE), word));
    }
}
