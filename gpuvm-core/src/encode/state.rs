//! The encoder's state and its pen: instructions with their matrices, fresh words, labels, trap sites.

use super::activation::{Activation, Closure};
use super::operand::Operand;
use super::piece::{Function, Reached};
use super::{Encoded, Source};
use crate::isa::{Class, Instruction, Op};
use crate::matrix::{CONSTANT, Format, MatrixRecord, Ring, Term, instruction_terms};
use crate::routine::{Callee, Cause, Constant, ConstantWords, Piece, Site, Variable};
use crate::types::{ConstantWord, TypeRef, Value};

/// How many words a routine may number: pair operands have 16 bits for each.
const MOST_WORDS: u32 = 0xfff0;

/// A label that no node has placed yet.
pub(super) const UNPLACED: u32 = u32::MAX;

/// A growing list of fixed room, which counts on when it is full.
#[derive(Clone, Copy)]
pub(super) struct List<T: Copy, const CAP: usize> {
    pub items: [T; CAP],
    pub len: usize,
}

impl<T: Copy, const CAP: usize> List<T, CAP> {
    pub const fn new(filler: T) -> Self {
        List {
            items: [filler; CAP],
            len: 0,
        }
    }

    pub const fn push(&mut self, item: T) {
        if self.len < CAP {
            self.items[self.len] = item;
        }
        self.len += 1;
    }

    /// Adds `count` copies of an item and gives the number of the first, if there is room for them.
    pub const fn extend(&mut self, item: T, count: u32) -> u32 {
        let first = self.len as u32;
        let mut i = 0;
        while i < count {
            self.push(item);
            i += 1;
        }
        first
    }

    /// What was pushed, as far as there was room.
    pub const fn slice(&self) -> &[T] {
        self.items.split_at(if self.len < CAP { self.len } else { CAP }).0
    }
}

/// Fills the unused room of the list of constants.
fn no_words() -> Vec<ConstantWord> {
    Vec::new()
}

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

/// The walk's state; `CAP` bounds every list in it.
pub(super) struct Encoder<const CAP: usize> {
    /// The source that is being walked, where the walk is in it, and where it ends.
    pub source: &'static Source,
    pub at: usize,
    pub end: usize,
    /// The number of the activation that is being walked.
    pub current: u32,
    pub activations: List<Activation, CAP>,
    pub closures: List<Closure, CAP>,
    /// Fields of values that are for the encoder alone.
    pub parts: List<Operand, CAP>,
    pub line: u32,
    pub words: u32,
    pub stack: List<Operand, CAP>,
    pub locals: List<Operand, CAP>,
    pub joins: List<Join, CAP>,
    pub labels: List<u32, CAP>,
    jumps: List<u32, CAP>,
    pub code: List<Instruction, CAP>,
    pub lines: List<u32, CAP>,
    pub matrices: List<MatrixRecord, CAP>,
    pub terms: List<Term, CAP>,
    pub callees: List<Callee, CAP>,
    pub constants: List<Constant, CAP>,
    pub sites: List<Site, CAP>,
    pub variables: List<Variable, CAP>,
    /// The local that each variable is.
    pub local_of: List<u32, CAP>,
    /// The functions that are being written, the innermost last.
    pub functions: List<Function, CAP>,
    /// What these use of the functions around them.
    pub reached: List<Reached, CAP>,
    pub pieces: List<Piece, CAP>,
}

impl<const CAP: usize> Encoder<CAP> {
    pub const fn new(source: &'static Source) -> Self {
        Encoder {
            source,
            at: 0,
            end: source.nodes.len(),
            current: 0,
            activations: List::new(Activation::of(source)),
            closures: List::new(Closure::NONE),
            parts: List::new(Operand::NEVER),
            line: source.line,
            words: 0,
            stack: List::new(Operand::NEVER),
            locals: List::new(Operand::NEVER),
            joins: List::new(Join::OPEN),
            labels: List::new(UNPLACED),
            jumps: List::new(0),
            code: List::new(Instruction {
                opcode: 0,
                operands: [0; 4],
            }),
            lines: List::new(0),
            matrices: List::new(MatrixRecord {
                format: Format::Sparse,
                offset: 0,
                size: 0,
                non_zeros: 0,
            }),
            terms: List::new(Term {
                row: 0,
                column: CONSTANT,
                ring: Ring::Integer,
                rotation: 0,
                coefficient: 0,
            }),
            callees: List::new(Callee::Library(0)),
            constants: List::new(Constant {
                at: 0,
                words: ConstantWords::Function(no_words),
                in_data: false,
            }),
            sites: List::new(Site {
                line: 0,
                cause: Cause::Bounds,
            }),
            variables: List::new(Variable {
                name: "",
                word: 0,
                ty: TypeRef::of::<()>(),
                line: 0,
                last_line: 0,
            }),
            local_of: List::new(0),
            functions: List::new(Function::ROUTINE),
            reached: List::new(Reached::NONE),
            pieces: List::new(Piece::NONE),
        }
    }

    /// What the walk has written.
    pub const fn finished(self, overflowed: bool) -> Encoded<CAP> {
        Encoded {
            words: self.words,
            overflowed,
            code: self.code,
            lines: self.lines,
            matrices: self.matrices,
            terms: self.terms,
            callees: self.callees,
            constants: self.constants,
            sites: self.sites,
            variables: self.variables,
            pieces: self.pieces,
        }
    }

    /// Whether some list needed more room than it has.
    pub const fn overflowed(&self) -> bool {
        self.code.len > CAP
            || self.terms.len > CAP
            || self.matrices.len > CAP
            || self.stack.len > CAP
            || self.callees.len > CAP
            || self.constants.len > CAP
            || self.sites.len > CAP
            || self.variables.len > CAP
            || self.jumps.len > CAP
            || self.locals.len > CAP
            || self.joins.len > CAP
            || self.labels.len > CAP
            || self.activations.len > CAP
            || self.closures.len > CAP
            || self.parts.len > CAP
            || self.functions.len > CAP
            || self.reached.len > CAP
            || self.pieces.len > CAP
    }

    /// Writes one instruction, and its matrix if it is linear.
    pub const fn emit(&mut self, op: Op, operands: [u32; 4]) {
        let mut instruction = Instruction::new(op, operands);
        if matches!(op.class(), Class::Linear) {
            let row = instruction_terms(instruction);
            instruction.operands[3] = self.matrices.len as u32;
            self.matrices.push(MatrixRecord {
                format: Format::Sparse,
                offset: self.terms.len as u32,
                size: row.count as u32,
                non_zeros: row.count as u32,
            });
            let mut i = 0;
            while i < row.count {
                self.terms.push(row.terms[i]);
                i += 1;
            }
        }
        self.code.push(instruction);
        self.lines.push(self.line);
    }

    /// `count` words that nothing else uses.
    pub const fn fresh(&mut self, count: u32) -> u32 {
        let base = self.words;
        self.words += count;
        assert!(
            self.words <= MOST_WORDS,
            "a routine may use at most 65520 words: keep large data in slices"
        );
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
        self.word(Op::Imm, value, 0, 0)
    }

    /// Copies consecutive words.
    pub const fn copy_words(&mut self, to: u32, from: u32, count: u32) {
        let mut i = 0;
        while i < count {
            if to != from {
                self.emit(Op::Mov, [to + i, from + i, 0, 0]);
            }
            i += 1;
        }
    }

    /// The word where `condition` is 1 or 0, `then` or `otherwise`.
    pub const fn select(&mut self, condition: u32, then: u32, otherwise: u32) -> u32 {
        self.word(Op::Select, condition, then, otherwise)
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
        self.jumps.push(self.code.len as u32);
        self.emit(op, [label, condition, 0, 0]);
    }

    /// The number of a new trap site on the current line.
    pub const fn site(&mut self, cause: Cause) -> u32 {
        self.sites.push(Site { line: self.line, cause });
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
        let byte = self.source.nodes[self.at];
        self.at += 1;
        byte
    }

    /// The next LEB128 number of the stream.
    pub const fn number(&mut self) -> u128 {
        let mut value = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            value |= ((byte & 0x7f) as u128) << shift;
            if byte < 0x80 {
                return value;
            }
            shift += 7;
        }
    }

    /// The next number, where 32 bits are enough.
    pub const fn small(&mut self) -> u32 {
        self.number() as u32
    }

    /// The next four-byte hash.
    pub const fn hash(&mut self) -> u32 {
        self.byte() as u32 | (self.byte() as u32) << 8 | (self.byte() as u32) << 16 | (self.byte() as u32) << 24
    }

    // The operand stack.

    pub const fn push(&mut self, operand: Operand) {
        self.stack.push(operand);
    }

    pub const fn pop(&mut self) -> Operand {
        assert!(
            self.stack.len > 0,
            "the node stream pops an operand that was never pushed"
        );
        self.stack.len -= 1;
        self.stack.items[self.stack.len]
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
