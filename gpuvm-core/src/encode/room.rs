//! Where the encoder writes to: lists of fixed room, because build time has no heap. The walk borrows them, so that its functions are the same for
//! every size, which spares rustc's interpreter from working out their types anew in each call.

use std::borrow::Cow;

use super::Source;
use super::activation::{Activation, Closure, OwnLocals};
use super::operand::Operand;
use super::piece::{Function, Reached};
use super::state::{Encoder, Join, MOST_WORDS, UNPLACED};
use crate::isa::Instruction;
use crate::matrix::{InstructionTerms, PackedTerm};
use crate::routine::{Callee, Cause, Constant, ConstantWords, Piece, Routine, Site, Variable};
use crate::types::{ConstantWord, TypeRef};

/// A growing list of fixed room, which counts on when it is full, and says so to who asks all lists at once.
pub(super) struct List<'r, T> {
    pub items: &'r mut [T],
    pub len: usize,
    /// How many items there is room for: what rustc's interpreter would call two functions to find out.
    pub room: usize,
}

impl<'r, T: Copy> List<'r, T> {
    const fn new(items: &'r mut [T]) -> Self {
        let room = items.len();
        List { items, len: 0, room }
    }

    pub const fn push(&mut self, item: T, full: &mut bool) {
        let at = self.len;
        if at < self.room {
            self.items[at] = item;
        } else {
            *full = true;
        }
        self.len = at + 1;
    }

    /// Adds `count` of the items that the room was filled with, and gives the number of the first.
    pub const fn extend(&mut self, count: u32, full: &mut bool) -> u32 {
        let first = self.len;
        let end = first + count as usize;
        if end > self.room {
            *full = true;
        }
        self.len = end;
        first as u32
    }

    /// How many items there was room for.
    pub const fn kept(&self) -> usize {
        if self.len > self.room { self.room } else { self.len }
    }
}

/// A routine has more instructions and matrices than it has locals or jumps, more of these than calls or trap sites, and more of these than closures: so
/// many times more room is for them. What room is not used costs time too, because rustc's interpreter fills, copies and checks all of it.
const LONG: usize = 16;
/// See there.
const MIDDLE: usize = 4;
/// See there.
const SHORT: usize = 2;

/// An encoded routine in lists of fixed room.
pub struct Encoded<const CAP: usize> {
    words: u32,
    overflowed: bool,
    refused: Option<&'static str>,
    counts: Counts,
    code: [[Instruction; LONG]; CAP],
    lines: [[u32; LONG]; CAP],
    matrices: [[u32; LONG]; CAP],
    terms: [[PackedTerm; LONG]; CAP],
    callees: [[Callee; SHORT]; CAP],
    constants: [[Constant; SHORT]; CAP],
    sites: [[Site; SHORT]; CAP],
    variables: [[Variable; SHORT]; CAP],
    pieces: [Piece; CAP],
}

/// How many entries there are in the lists of an encoded routine.
#[derive(Clone, Copy)]
struct Counts {
    code: usize,
    matrices: usize,
    terms: usize,
    callees: usize,
    constants: usize,
    sites: usize,
    variables: usize,
    pieces: usize,
}

impl Counts {
    const NONE: Counts = Counts {
        code: 0,
        matrices: 0,
        terms: 0,
        callees: 0,
        constants: 0,
        sites: 0,
        variables: 0,
        pieces: 0,
    };
}

/// The lists that nobody needs when the walk has come to its end.
struct Scratch<const CAP: usize> {
    activations: [[Activation; SHORT]; CAP],
    closures: [Closure; CAP],
    parts: [Operand; CAP],
    stack: [[Operand; MIDDLE]; CAP],
    locals: [[Operand; MIDDLE]; CAP],
    joins: [[Join; SHORT]; CAP],
    labels: [[u32; MIDDLE]; CAP],
    jumps: [[u32; MIDDLE]; CAP],
    local_of: [[u32; SHORT]; CAP],
    functions: [Function; CAP],
    reached: [Reached; CAP],
}

/// Encodes a routine, in room for 16 × `CAP` instructions and for as much of everything else as routines of so many instructions need.
///
/// [`Encoding`](crate::marker::Encoding) calls it for the types that stand for routines.
///
/// # Panics
///
/// Where the source cannot be encoded; at build time rustc shows the text as an error of the constant.
pub const fn encode<const CAP: usize>(source: &'static Source) -> Encoded<CAP> {
    let mut encoded = Encoded::<CAP>::empty();
    let mut scratch = Scratch::<CAP>::of(source);
    let mut encoder = encoder(source, &mut encoded, &mut scratch);
    encoder.walk();
    if encoder.words > MOST_WORDS {
        encoded.refused =
            Some("its variables and intermediate values take more than 65520 words: keep large data in slices");
        return encoded;
    }
    let overflowed = encoder.overflowed();
    if !overflowed {
        encoder.patch_jumps();
    }
    let words = encoder.words;
    let counts = encoder.counts();
    encoded.words = words;
    encoded.overflowed = overflowed;
    encoded.counts = counts;
    encoded
}

const fn encoder<'r, const CAP: usize>(
    source: &'static Source,
    encoded: &'r mut Encoded<CAP>,
    scratch: &'r mut Scratch<CAP>,
) -> Encoder<'r> {
    Encoder {
        source,
        nodes: source.nodes,
        own_locals: OwnLocals::of(source),
        at: 0,
        end: source.nodes.len(),
        current: 0,
        activations: List::new(scratch.activations.as_flattened_mut()),
        closures: List::new(&mut scratch.closures),
        parts: List::new(&mut scratch.parts),
        line: source.line,
        furthest: source.line,
        words: 0,
        stack: List::new(scratch.stack.as_flattened_mut()),
        locals: List::new(scratch.locals.as_flattened_mut()),
        joins: List::new(scratch.joins.as_flattened_mut()),
        labels: List::new(scratch.labels.as_flattened_mut()),
        jumps: List::new(scratch.jumps.as_flattened_mut()),
        code: List::new(encoded.code.as_flattened_mut()),
        lines: encoded.lines.as_flattened_mut(),
        matrices: List::new(encoded.matrices.as_flattened_mut()),
        terms: List::new(encoded.terms.as_flattened_mut()),
        callees: List::new(encoded.callees.as_flattened_mut()),
        constants: List::new(encoded.constants.as_flattened_mut()),
        sites: List::new(encoded.sites.as_flattened_mut()),
        variables: List::new(encoded.variables.as_flattened_mut()),
        local_of: List::new(scratch.local_of.as_flattened_mut()),
        functions: List::new(&mut scratch.functions),
        reached: List::new(&mut scratch.reached),
        pieces: List::new(&mut encoded.pieces),
        row: InstructionTerms::NONE,
        full: false,
    }
}

impl Encoder<'_> {
    /// Whether some list needed more room than it has, or there are not as many words as are needed.
    pub const fn overflowed(&self) -> bool {
        self.full || self.words > MOST_WORDS
    }

    const fn counts(&self) -> Counts {
        Counts {
            code: self.code.len,
            matrices: self.matrices.len,
            terms: self.terms.len,
            callees: self.callees.len,
            constants: self.constants.len,
            sites: self.sites.len,
            variables: self.variables.len,
            pieces: self.pieces.len,
        }
    }
}

impl<const CAP: usize> Scratch<CAP> {
    const fn of(source: &'static Source) -> Self {
        Scratch {
            activations: [[Activation::of(source); SHORT]; CAP],
            closures: [Closure::NONE; CAP],
            parts: [Operand::NEVER; CAP],
            stack: [[Operand::NEVER; MIDDLE]; CAP],
            locals: [[Operand::NEVER; MIDDLE]; CAP],
            joins: [[Join::OPEN; SHORT]; CAP],
            labels: [[UNPLACED; MIDDLE]; CAP],
            jumps: [[0; MIDDLE]; CAP],
            local_of: [[0; SHORT]; CAP],
            functions: [Function::ROUTINE; CAP],
            reached: [Reached::NONE; CAP],
        }
    }
}

/// Fills the unused room of the list of constants.
fn no_words() -> Vec<ConstantWord> {
    Vec::new()
}

impl<const CAP: usize> Encoded<CAP> {
    /// No constant: rustc's interpreter would check it by itself for each room that there is.
    const fn empty() -> Self {
        Encoded {
            words: 0,
            overflowed: false,
            refused: None,
            counts: Counts::NONE,
            code: [[Instruction {
                opcode: 0,
                operands: [0; 4],
            }; LONG]; CAP],
            lines: [[0; LONG]; CAP],
            matrices: [[0; LONG]; CAP],
            terms: [[[0; 3]; LONG]; CAP],
            callees: [[Callee::Library(0); SHORT]; CAP],
            constants: [[Constant {
                at: 0,
                words: ConstantWords::Function(no_words),
                in_data: false,
            }; SHORT]; CAP],
            sites: [[Site {
                line: 0,
                cause: Cause::Bounds,
            }; SHORT]; CAP],
            variables: [[Variable {
                name: "",
                word: 0,
                ty: TypeRef::of::<()>(),
                line: 0,
                last_line: 0,
            }; SHORT]; CAP],
            pieces: [Piece::NONE; CAP],
        }
    }

    /// Whether the routine needed more room than `CAP`; then nothing in it is of use.
    pub const fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// What stands for a routine for which there was too little room.
    pub const fn too_long() -> Self {
        let mut encoded = Encoded::empty();
        encoded.refused =
            Some("it becomes more instructions than were foreseen: split it, or copy fewer large structs and arrays");
        encoded
    }

    /// The least `CAP` with which there is room for what was encoded.
    pub const fn needed(&self) -> usize {
        let counts = &self.counts;
        let short = max(
            max(counts.callees, counts.constants),
            max(counts.sites, counts.variables),
        );
        let long = max(max(counts.code, counts.matrices), counts.terms);
        max(max(long.div_ceil(LONG), short.div_ceil(SHORT)), counts.pieces)
    }

    /// The same in other room, of which there has to be enough.
    pub const fn fitted<const OTHER: usize>(&self) -> Encoded<OTHER> {
        let counts = self.counts;
        let mut fitted = Encoded::<OTHER>::empty();
        fitted.words = self.words;
        fitted.refused = self.refused;
        fitted.counts = counts;
        copy(&self.code, &mut fitted.code, counts.code);
        copy(&self.lines, &mut fitted.lines, counts.code);
        copy(&self.matrices, &mut fitted.matrices, counts.matrices);
        copy(&self.terms, &mut fitted.terms, counts.terms);
        copy(&self.callees, &mut fitted.callees, counts.callees);
        copy(&self.constants, &mut fitted.constants, counts.constants);
        copy(&self.sites, &mut fitted.sites, counts.sites);
        copy(&self.variables, &mut fitted.variables, counts.variables);
        let pieces = fitted.pieces.split_at_mut(counts.pieces).0;
        pieces.copy_from_slice(first(&self.pieces, counts.pieces));
        fitted
    }

    /// The routine, borrowing what was encoded.
    pub const fn routine(&'static self, source: &'static Source) -> Routine {
        let counts = &self.counts;
        Routine {
            name: Cow::Borrowed(source.name),
            file: Cow::Borrowed(source.file),
            line: source.line,
            params: Cow::Borrowed(source.params),
            result: source.result,
            words: self.words,
            code: Cow::Borrowed(first(self.code.as_flattened(), counts.code)),
            lines: Cow::Borrowed(first(self.lines.as_flattened(), counts.code)),
            matrices: Cow::Borrowed(first(self.matrices.as_flattened(), counts.matrices)),
            terms: Cow::Borrowed(first(self.terms.as_flattened(), counts.terms)),
            callees: Cow::Borrowed(first(self.callees.as_flattened(), counts.callees)),
            constants: Cow::Borrowed(first(self.constants.as_flattened(), counts.constants)),
            sites: Cow::Borrowed(first(self.sites.as_flattened(), counts.sites)),
            variables: Cow::Borrowed(first(self.variables.as_flattened(), counts.variables)),
            pieces: Cow::Borrowed(first(&self.pieces, counts.pieces)),
            relaxed: source.relaxed,
            is_const: source.is_const,
            refused: self.refused,
            held: Vec::new(),
            tables: Vec::new(),
        }
    }
}

const fn first<T>(items: &[T], count: usize) -> &[T] {
    items.split_at(count).0
}

/// Copies the first `count` entries.
const fn copy<T: Copy, const N: usize>(from: &[[T; N]], to: &mut [[T; N]], count: usize) {
    let to = to.as_flattened_mut().split_at_mut(count).0;
    to.copy_from_slice(first(from.as_flattened(), count));
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}
