//! [`AffineMap`]: one step of the machine as an exact affine map of its words. Composition and powers are in `compose`.

use super::{CONSTANT, Ring, Term, instruction_terms};
use crate::isa::{Instruction, Op, WORDS};

/// An affine map of a VM's words, row by row in the arithmetic of each row's [`Ring`]. All rows read the words as they were
/// before. Words without a row stay as they are, and `ip`, which every matrix advances by 1, is left out.
///
/// The terms are in a canonical order, so that equal terms mean equal maps (not always the other way round: `x << 1` and
/// `2 * x` differ in ring). Rows ascend; within a row integer terms ascend by column, bit terms by column and rotation, both
/// without zeros or repetitions, and float terms are in order of evaluation. A row that copies a word or loads a constant is
/// always [`Ring::Integer`], and a row that is zero everywhere is one constant term of 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AffineMap {
    terms: Vec<Term>,
}

impl AffineMap {
    /// The map that changes nothing.
    pub const fn identity() -> AffineMap {
        AffineMap { terms: Vec::new() }
    }

    /// The map of one linear instruction. `None` for [`Op::Affine`], for what is not linear, and for word numbers past
    /// `0xfffd`.
    pub fn of(instruction: &Instruction) -> Option<AffineMap> {
        let op = Op::from_code(instruction.opcode)?;
        let roles = op.roles();
        let in_range =
            |(role, &word): (&_, &u32)| !matches!(role, crate::isa::Role::Def | crate::isa::Role::Use) || word < 0xfffe;
        if !roles.iter().zip(&instruction.operands).all(in_range) {
            return None;
        }
        let built = instruction_terms(*instruction);
        if built.count == 0 {
            return None;
        }
        AffineMap::from_terms(&built.terms[..built.count])
    }

    /// The map with the given rows. `None` if the terms are not a map: terms of a row apart from each other or of different
    /// rings, a constant as a row, a rotation of 32 or more, a rotation outside of [`Ring::Bits`].
    pub fn from_terms(terms: &[Term]) -> Option<AffineMap> {
        let mut rows: Vec<(u16, Vec<Term>)> = Vec::with_capacity(1);
        for row in terms.chunk_by(|a, b| a.row == b.row) {
            let (number, ring) = (row[0].row, row[0].ring);
            let valid = row.iter().all(|term| {
                let rotates = ring == Ring::Bits && term.column != CONSTANT;
                term.ring == ring && term.row != CONSTANT && term.rotation < if rotates { 32 } else { 1 }
            });
            if !valid {
                return None;
            }
            rows.push((number, canonical_row(number, ring, row.to_vec())));
        }
        rows.sort_by_key(|(number, _)| *number);
        if rows.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let mut rows = rows.into_iter().map(|(_, terms)| terms);
        let mut terms = rows.next().unwrap_or_default();
        rows.for_each(|row| terms.extend(row));
        Some(AffineMap { terms })
    }

    /// A map of rows that are canonical and ascending already.
    pub(super) fn from_canonical(terms: Vec<Term>) -> AffineMap {
        AffineMap { terms }
    }

    /// All terms, row by row.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The rows that are not the identity, each a non-empty run of terms, ascending by row.
    pub fn rows(&self) -> impl Iterator<Item = &[Term]> {
        self.terms.chunk_by(|a, b| a.row == b.row)
    }

    /// The terms of one row, `None` if the word stays as it is.
    pub fn row(&self, word: u16) -> Option<&[Term]> {
        let start = self.terms.partition_point(|term| term.row < word);
        let length = self.terms[start..].partition_point(|term| term.row == word);
        (length > 0).then(|| &self.terms[start..start + length])
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        self.terms.is_empty()
    }

    /// Coefficients that are not 0, in the rows that are not the identity.
    pub fn non_zeros(&self) -> u32 {
        self.terms.iter().filter(|term| term.coefficient != 0).count() as u32
    }

    /// The same map with only those of the words 0 to 31 written that have their bit in `live`. For a word that nobody reads
    /// afterwards it does not matter what the map makes of it.
    pub fn keep_rows(&self, live: u32) -> AffineMap {
        let is_live = |term: &&Term| term.row < 32 && live >> term.row & 1 == 1;
        AffineMap {
            terms: self.terms.iter().filter(is_live).copied().collect(),
        }
    }

    /// Maps a VM's words. Columns and rows past the last word read as 0 and are not written.
    pub fn apply(&self, words: &mut [u32; WORDS]) {
        let before = *words;
        for row in self.rows() {
            if let Some(word) = words.get_mut(usize::from(row[0].row)) {
                *word = evaluate(row, &before);
            }
        }
    }
}

/// The value of one row, given the words before.
pub(super) fn evaluate(row: &[Term], words: &[u32; WORDS]) -> u32 {
    let read = |column: u16| words.get(usize::from(column)).copied().unwrap_or(0);
    match row.first().map(|term| term.ring) {
        None => 0,
        Some(Ring::Integer) => row.iter().fold(0, |sum: u32, term| {
            let factor = if term.column == CONSTANT { 1 } else { read(term.column) };
            sum.wrapping_add(term.coefficient.wrapping_mul(factor))
        }),
        Some(Ring::Bits) => row.iter().fold(0, |sum, term| {
            let rotated = if term.column == CONSTANT {
                u32::MAX
            } else {
                read(term.column).rotate_left(term.rotation.into())
            };
            sum ^ rotated & term.coefficient
        }),
        Some(Ring::Float) => {
            let product =
                |term: &Term| float_product(term.coefficient, (term.column != CONSTANT).then(|| read(term.column)));
            let sum = row[1..].iter().fold(product(&row[0]), |sum, term| sum + product(term));
            sum.to_bits()
        }
    }
}

/// A float term's value: the coefficient itself in the constant column (`None`), else times the word.
pub(super) fn float_product(coefficient: u32, word: Option<u32>) -> f32 {
    let coefficient = f32::from_bits(coefficient);
    match word.map(f32::from_bits) {
        None => coefficient,
        Some(word) if coefficient == 1.0 => word,
        Some(word) if coefficient == -1.0 => -word,
        Some(word) => coefficient * word,
    }
}

/// Brings the terms of one row into canonical form; empty for a row that copies its own word.
pub(super) fn canonical_row(row: u16, ring: Ring, mut terms: Vec<Term>) -> Vec<Term> {
    match ring {
        Ring::Integer | Ring::Bits => {
            terms.sort_unstable_by_key(|term| (term.column, term.rotation));
            terms.dedup_by(|term, kept| {
                let same = (term.column, term.rotation) == (kept.column, kept.rotation);
                if same && ring == Ring::Bits {
                    kept.coefficient ^= term.coefficient;
                } else if same {
                    kept.coefficient = kept.coefficient.wrapping_add(term.coefficient);
                }
                same
            });
            terms.retain(|term| term.coefficient != 0);
        }
        Ring::Float => {
            let mut sum = Vec::with_capacity(terms.len());
            for term in terms {
                push_float(&mut sum, term);
            }
            terms = sum;
        }
    }
    match terms[..] {
        [] => terms.push(constant(row, 0)),
        [term] if term.column == CONSTANT => terms[0] = constant(row, term.coefficient),
        [term] if is_unit(&term) && term.column == row => terms.clear(),
        [term] if is_unit(&term) => terms[0] = copy(row, term.column),
        _ => {}
    }
    terms
}

/// Appends a term to a float sum. Constants at the start add up at once, by the same rounding as later.
pub(super) fn push_float(sum: &mut Vec<Term>, term: Term) {
    match sum[..] {
        [start] if start.column == CONSTANT && term.column == CONSTANT => {
            let folded = f32::from_bits(start.coefficient) + f32::from_bits(term.coefficient);
            sum[0].coefficient = folded.to_bits();
        }
        _ => sum.push(term),
    }
}

/// Whether the term gives its word unchanged.
fn is_unit(term: &Term) -> bool {
    match term.ring {
        Ring::Integer => term.coefficient == 1,
        Ring::Bits => term.rotation == 0 && term.coefficient == u32::MAX,
        Ring::Float => term.coefficient == 1.0_f32.to_bits(),
    }
}

/// The canonical term of a row that copies a word.
pub(super) const fn copy(row: u16, column: u16) -> Term {
    Term {
        row,
        column,
        ring: Ring::Integer,
        rotation: 0,
        coefficient: 1,
    }
}

/// The canonical term of a row that loads a constant.
pub(super) const fn constant(row: u16, value: u32) -> Term {
    Term {
        row,
        column: CONSTANT,
        ring: Ring::Integer,
        rotation: 0,
        coefficient: value,
    }
}
