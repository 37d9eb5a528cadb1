//! Where a program's matrices lie: each map stored once, in the form that suits it.

use rustc_hash::FxHashMap;

use super::{AffineMap, Format, MatrixRecord, Pools, Statistics, dense, sparse};
use crate::isa::WORDS;

/// Matrices under collection for a program, which takes over `pools` and `records` when it is complete.
#[derive(Clone, Debug, Default)]
pub struct Store {
    /// The entries.
    pub pools: Pools,
    /// One record a matrix, in order of first insertion.
    pub records: Vec<MatrixRecord>,
    numbers: FxHashMap<AffineMap, u32>,
    bytes_all_dense: u64,
}

impl Store {
    /// The number of the map's record, which is added if the map is new. It is stored dense if its non-zeros are at least
    /// `threshold` of the [entries](dense::entries) of the dense form, or as `force` says; sparse in any case if it has no
    /// dense form.
    pub fn insert(&mut self, map: &AffineMap, threshold: f32, force: Option<Format>) -> u32 {
        if let Some(&number) = self.numbers.get(map) {
            return number;
        }
        let share = map.non_zeros() as f32 / dense::entries(map).max(1) as f32;
        let suits = if !map.is_identity() && share >= threshold {
            Format::Dense
        } else {
            Format::Sparse
        };
        self.push(map, force.unwrap_or(suits))
    }

    /// Adds a record for the map in the given format (sparse if it has no dense form), even if there is one already.
    pub(crate) fn push(&mut self, map: &AffineMap, format: Format) -> u32 {
        let words = if format == Format::Dense {
            dense::encode(map)
        } else {
            None
        };
        let (terms, non_zeros) = (map.terms(), map.non_zeros());
        let record = match words {
            Some(words) => {
                let (offset, size) = (self.pools.dense.len() as u32, words.len() as u32);
                self.pools.dense.extend(words);
                MatrixRecord {
                    format: Format::Dense,
                    offset,
                    size,
                    non_zeros,
                }
            }
            None => {
                let (offset, size) = (self.pools.terms.len() as u32, terms.len() as u32);
                self.pools.terms.extend_from_slice(terms);
                MatrixRecord {
                    format: Format::Sparse,
                    offset,
                    size,
                    non_zeros,
                }
            }
        };
        self.bytes_all_dense += size_of::<MatrixRecord>() as u64 + dense::bytes(map);
        let number = self.records.len() as u32;
        self.records.push(record);
        self.numbers.entry(map.clone()).or_insert(number);
        number
    }

    /// The numbers about the stored matrices. What only the code tells (`linear_share`, `fused`) is 0.
    pub fn statistics(&self) -> Statistics {
        statistics(&self.records, &self.pools, self.bytes_all_dense)
    }
}

impl Statistics {
    /// The numbers about matrices that were stored before. What only the code tells (`linear_share`, `fused`) is 0, and matrices
    /// that are damaged do not count where they would be decoded.
    pub fn of(records: &[MatrixRecord], pools: &Pools) -> Statistics {
        let maps = records.iter().filter_map(|record| read_record(record, pools));
        let bytes_all_dense = maps
            .map(|map| size_of::<MatrixRecord>() as u64 + dense::bytes(&map))
            .sum();
        statistics(records, pools, bytes_all_dense)
    }
}

fn statistics(records: &[MatrixRecord], pools: &Pools, bytes_all_dense: u64) -> Statistics {
    let dense = records.iter().filter(|record| record.format == Format::Dense).count();
    let non_zeros: u64 = records.iter().map(|record| u64::from(record.non_zeros)).sum();
    let stored = size_of_val(records) + size_of_val(&pools.terms[..]) + size_of_val(&pools.dense[..]);
    Statistics {
        sparse: (records.len() - dense) as u32,
        dense: dense as u32,
        bytes: stored as u64,
        bytes_all_dense,
        mean_non_zeros: non_zeros as f32 / records.len().max(1) as f32,
        ..Statistics::default()
    }
}

/// The map that a record stands for, `None` if the record or what it points to is damaged.
pub fn read_record(record: &MatrixRecord, pools: &Pools) -> Option<AffineMap> {
    match record.format {
        Format::Sparse => AffineMap::from_terms(part(&pools.terms, record)?),
        Format::Dense => dense::decode(part(&pools.dense, record)?),
    }
}

/// Maps a VM's words by a stored matrix. A record that points outside of the pools changes nothing.
pub fn apply_record(record: &MatrixRecord, pools: &Pools, words: &mut [u32; WORDS]) {
    match record.format {
        Format::Sparse => sparse::apply(part(&pools.terms, record).unwrap_or_default(), words),
        Format::Dense => dense::apply(part(&pools.dense, record).unwrap_or_default(), words),
    }
}

/// The part of a pool that a record points to.
fn part<'a, T>(pool: &'a [T], record: &MatrixRecord) -> Option<&'a [T]> {
    let start = record.offset as usize;
    pool.get(start..start.checked_add(record.size as usize)?)
}
