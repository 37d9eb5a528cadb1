//! The n queens: all solutions by bit sets, the first one as columns, and a check of a given board.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Attacks {
    columns: u32,
    rising: u32,
    falling: u32,
}

#[routine]
impl Attacks {
    const NONE: Self = Self {
        columns: 0,
        rising: 0,
        falling: 0,
    };

    fn with(self, queen: u32) -> Self {
        Self {
            columns: self.columns | queen,
            rising: (self.rising | queen) << 1,
            falling: (self.falling | queen) >> 1,
        }
    }

    fn free(self, all: u32) -> Bits {
        Bits(all & !(self.columns | self.rising | self.falling))
    }
}

/// The set bits of a word, each as a word of its own, the lowest first.
#[derive(VmType, Clone, Copy)]
struct Bits(u32);

#[routine]
impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let lowest = self.0 & self.0.wrapping_neg();
        self.0 ^= lowest;
        (lowest != 0).then_some(lowest)
    }
}

#[routine]
fn count(all: u32, attacks: Attacks) -> u32 {
    if attacks.columns == all {
        return 1;
    }
    attacks.free(all).map(|queen| count(all, attacks.with(queen))).sum()
}

/// How many ways there are to place `n` queens, n up to 12.
#[routine]
pub fn queens_count(n: u32) -> u32 {
    count((1 << n.min(12)) - 1, Attacks::NONE)
}

#[routine]
fn place(rows: &mut [u8], all: u32, attacks: Attacks) -> bool {
    let Some((row, rest)) = rows.split_first_mut() else {
        return true;
    };
    for queen in attacks.free(all) {
        *row = queen.trailing_zeros() as u8;
        if place(rest, all, attacks.with(queen)) {
            return true;
        }
    }
    false
}

/// The column of the queen in each row of the first solution; 255 beyond `n`, and everywhere where there is none.
#[routine]
pub fn queens_first(n: u32) -> [u8; 12] {
    let mut board = [u8::MAX; 12];
    let n = n.min(12);
    if !place(&mut board[..n as usize], (1 << n) - 1, Attacks::NONE) {
        board.fill(u8::MAX);
    }
    board
}

/// Whether no two queens of `board`, a column for each row, attack each other.
#[routine]
pub fn queens_valid(board: &[u8]) -> bool {
    let attack = |(i, a): (usize, &u8), (j, b): (usize, &u8)| a == b || i.abs_diff(j) == usize::from(a.abs_diff(*b));
    !board
        .iter()
        .enumerate()
        .any(|one| board.iter().enumerate().skip(one.0 + 1).any(|other| attack(one, other)))
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(queens_count),
            [1, 1, 0, 0, 2, 10, 4, 40, 92, 352]
        );
    }

    #[test]
    fn boards() {
        assert_eq!(queens_first(8)[..8], [0, 4, 7, 5, 2, 6, 1, 3]);
        assert_eq!(queens_first(3), [u8::MAX; 12]);
        assert!(queens_valid(&queens_first(10)[..10]));
        assert!(!queens_valid(&[0, 2, 1]));
    }
}
