//! The sparse form: the terms of the rows that are not the identity, row by row, as [`Term`]s in
//! [`Pools::terms`](super::Pools).

use super::map::evaluate;
use super::{AffineMap, Term};
use crate::isa::WORDS;

/// Bytes of a map in this form.
pub fn bytes(map: &AffineMap) -> u64 {
    size_of_val(map.terms()) as u64
}

/// Maps a VM's words by the terms of one matrix.
pub fn apply(terms: &[Term], words: &mut [u32; WORDS]) {
    let before = *words;
    for row in terms.chunk_by(|a, b| a.row == b.row) {
        if let Some(word) = words.get_mut(usize::from(row[0].row)) {
            *word = evaluate(row, &before);
        }
    }
}
