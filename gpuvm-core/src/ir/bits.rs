//! Sets of small numbers as rows of bits.

/// A number of equally wide sets, side by side.
#[derive(Clone, Debug)]
pub(crate) struct BitRows {
    width: usize,
    bits: Vec<u64>,
}

impl BitRows {
    /// `rows` empty sets of numbers below `columns`.
    pub fn new(rows: usize, columns: usize) -> BitRows {
        let width = columns.div_ceil(64);
        BitRows {
            width,
            bits: vec![0; rows * width],
        }
    }

    /// The bits of one set.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.width..(row + 1) * self.width]
    }

    /// The bits of one set, to change.
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.bits[row * self.width..(row + 1) * self.width]
    }

    /// Whether the set holds the number.
    pub fn contains(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.width + column / 64] >> (column % 64) & 1 != 0
    }

    /// Adds a number to a set.
    pub fn insert(&mut self, row: usize, column: usize) {
        self.bits[row * self.width + column / 64] |= 1 << (column % 64);
    }
}

/// The numbers of a set, ascending.
pub(crate) fn members(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(i, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                i * 64 + bit
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back_in_order() {
        let mut rows = BitRows::new(2, 130);
        for n in [129, 0, 64, 63] {
            rows.insert(1, n);
        }
        assert!(rows.contains(1, 129) && !rows.contains(1, 65) && !rows.contains(0, 0));
        assert_eq!(members(rows.row(1)).collect::<Vec<_>>(), [0, 63, 64, 129]);
    }
}
