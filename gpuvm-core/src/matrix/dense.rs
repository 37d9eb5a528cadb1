//! The dense form: every coefficient, zeros included, of the rows that are not the identity, as words in
//! [`Pools::dense`](super::Pools).
//!
//! The first word has bit `r` set for each row `r` that follows. Then, in ascending order, each row: one word with its
//! [`Ring`]'s number, and
//!
//! - integer: 29 words, the coefficients of `w0..w27` and of the constant;
//! - bits: 897 words, for each of `w0..w27` 32 masks (the mask at place `k` belongs to the word rotated left by `k`), then the
//!   constant. That is any 32 × 32 bit matrix for each column, by its diagonals;
//! - float: 29 slots of two words, column and coefficient, in order of evaluation, because the order of a float sum matters.
//!   The constant's column is `0xffff`. The slots after the last term have the column `0xffffffff` and the coefficient 0.
//!
//! A float row of more than 29 terms, and words past `w27`, have no dense form.

use super::map::{canonical_row, float_product};
use super::{AffineMap, CONSTANT, Ring, Term};
use crate::isa::WORDS;

/// Entries of an integer row and slots of a float row: the words and the constant.
pub const COLUMNS: usize = WORDS + 1;
/// Words of a bits row without its ring.
pub const BITS_ENTRIES: usize = WORDS * 32 + 1;
/// The column of a float row's empty slot.
pub const EMPTY_SLOT: u32 = u32::MAX;

/// Entries that a map's rows have in this form: what its non-zeros are compared with to choose a format. A float slot is one.
pub fn entries(map: &AffineMap) -> u64 {
    map.rows()
        .map(|row| match row[0].ring {
            Ring::Bits => BITS_ENTRIES as u64,
            Ring::Integer | Ring::Float => COLUMNS as u64,
        })
        .sum()
}

/// Bytes of a map in this form; those of the sparse form if it has none.
pub fn bytes(map: &AffineMap) -> u64 {
    if !has_form(map) {
        return super::sparse::bytes(map);
    }
    let words: usize = map.rows().map(|row| 1 + row_size(row[0].ring)).sum();
    4 * (1 + words as u64)
}

/// The words of a map in this form, `None` if it has none.
pub fn encode(map: &AffineMap) -> Option<Vec<u32>> {
    if !has_form(map) {
        return None;
    }
    let mut words = vec![0];
    for row in map.rows() {
        let (number, ring) = (row[0].row, row[0].ring);
        words[0] |= 1 << number;
        words.push(ring as u32);
        let start = words.len();
        match ring {
            Ring::Integer | Ring::Bits => {
                let each = if ring == Ring::Bits { 32 } else { 1 };
                words.resize(start + WORDS * each + 1, 0);
                for term in row {
                    let place = column_index(term)? * each + usize::from(term.rotation);
                    words[start + place] = term.coefficient;
                }
            }
            Ring::Float => {
                for term in row {
                    words.extend([term.column.into(), term.coefficient]);
                }
                for _ in row.len()..COLUMNS {
                    words.extend([EMPTY_SLOT, 0]);
                }
            }
        }
    }
    Some(words)
}

/// The map that the words stand for, `None` if they are not of this form.
pub fn decode(words: &[u32]) -> Option<AffineMap> {
    let mut terms = Vec::new();
    for row in Rows::new(words) {
        let (row, ring, entries) = row?;
        let row = row as u16;
        let term = |column, rotation, coefficient| Term {
            row,
            column,
            ring,
            rotation,
            coefficient,
        };
        let mut found = Vec::new();
        match ring {
            Ring::Integer | Ring::Bits => {
                let each = if ring == Ring::Bits { 32 } else { 1 };
                for (place, &coefficient) in entries.iter().enumerate().filter(|(_, c)| **c != 0) {
                    let (column, rotation) = (place / each, place % each);
                    let column = if column == WORDS { CONSTANT } else { column as u16 };
                    found.push(term(column, rotation as u8, coefficient));
                }
            }
            Ring::Float => {
                for slot in entries.chunks_exact(2).take_while(|s| s[0] != EMPTY_SLOT) {
                    found.push(term(u16::try_from(slot[0]).ok()?, 0, slot[1]));
                }
            }
        }
        terms.extend(canonical_row(row, ring, found));
    }
    AffineMap::from_terms(&terms)
}

/// Maps a VM's words by the words of one matrix. What is not of this form maps to 0.
pub fn apply(matrix: &[u32], words: &mut [u32; WORDS]) {
    let before = *words;
    for (row, ring, entries) in Rows::new(matrix).flatten() {
        words[row] =
            match ring {
                Ring::Integer => entries[..WORDS]
                    .iter()
                    .zip(&before)
                    .fold(entries[WORDS], |sum, (coefficient, word)| {
                        sum.wrapping_add(coefficient.wrapping_mul(*word))
                    }),
                Ring::Bits => entries[..WORDS * 32].chunks_exact(32).zip(&before).fold(
                    entries[WORDS * 32],
                    |sum, (masks, word)| {
                        (0..)
                            .zip(masks)
                            .fold(sum, |sum, (rotation, mask)| sum ^ word.rotate_left(rotation) & mask)
                    },
                ),
                Ring::Float => entries
                    .chunks_exact(2)
                    .take_while(|slot| slot[0] != EMPTY_SLOT)
                    .map(|slot| {
                        let word = before.get(slot[0] as usize).copied();
                        float_product(slot[1], word)
                    })
                    .reduce(|sum, product| sum + product)
                    .map_or(0, f32::to_bits),
            };
    }
}

/// Whether the map has this form at all.
fn has_form(map: &AffineMap) -> bool {
    map.rows().all(|row| {
        usize::from(row[0].row) < WORDS
            && row.iter().all(|term| column_index(term).is_some())
            && (row[0].ring != Ring::Float || row.len() <= COLUMNS)
    })
}

/// Words of a row without its ring.
fn row_size(ring: Ring) -> usize {
    match ring {
        Ring::Integer => COLUMNS,
        Ring::Bits => BITS_ENTRIES,
        Ring::Float => 2 * COLUMNS,
    }
}

/// The place of a term's column among a row's columns.
fn column_index(term: &Term) -> Option<usize> {
    match usize::from(term.column) {
        _ if term.column == CONSTANT => Some(WORDS),
        column => (column < WORDS).then_some(column),
    }
}

/// Walks over the rows of a matrix: word, ring and entries of each. `None` once, at the end, where the words are not of this
/// form.
struct Rows<'a> {
    mask: u32,
    rest: &'a [u32],
}

impl<'a> Rows<'a> {
    fn new(words: &'a [u32]) -> Rows<'a> {
        match words.split_first() {
            Some((&mask, rest)) => Rows { mask, rest },
            None => Rows { mask: 0, rest: words },
        }
    }

    fn row(&mut self, number: usize) -> Option<(usize, Ring, &'a [u32])> {
        let (&ring, rest) = self.rest.split_first()?;
        let ring = match ring {
            0 => Ring::Integer,
            1 => Ring::Bits,
            2 => Ring::Float,
            _ => return None,
        };
        let (entries, rest) = rest.split_at_checked(row_size(ring))?;
        self.rest = rest;
        (number < WORDS).then_some((number, ring, entries))
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Option<(usize, Ring, &'a [u32])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.mask == 0 {
            return None;
        }
        let number = self.mask.trailing_zeros();
        self.mask &= self.mask - 1;
        let row = self.row(number as usize);
        if row.is_none() {
            self.mask = 0;
        }
        Some(row)
    }
}
