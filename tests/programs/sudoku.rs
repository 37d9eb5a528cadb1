//! A sudoku solver: candidates as bit sets, the cell with the fewest first, backtracking by recursion.

use core::ops::ControlFlow;

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum SudokuError {
    BadCell(usize),
    Conflict(usize),
    Length,
}

#[derive(VmType, Clone, Copy)]
struct Sudoku {
    cells: [u8; 81],
    rows: [u16; 9],
    columns: [u16; 9],
    boxes: [u16; 9],
}

const ALL: u16 = 0b11_1111_1110;

#[routine]
impl Sudoku {
    fn parse(text: &[u8]) -> Result<Self, SudokuError> {
        let mut sudoku = Self {
            cells: [0; 81],
            rows: [0; 9],
            columns: [0; 9],
            boxes: [0; 9],
        };
        if text.len() != sudoku.cells.len() {
            return Err(SudokuError::Length);
        }
        for (at, &byte) in text.iter().enumerate() {
            match byte {
                b'.' | b'0' => {}
                b'1'..=b'9' => {
                    let digit = byte - b'0';
                    if sudoku.candidates(at) & 1 << digit == 0 {
                        return Err(SudokuError::Conflict(at));
                    }
                    sudoku.set(at, digit);
                }
                _ => return Err(SudokuError::BadCell(at)),
            }
        }
        Ok(sudoku)
    }

    const fn house(at: usize) -> (usize, usize, usize) {
        let (row, column) = (at / 9, at % 9);
        (row, column, row / 3 * 3 + column / 3)
    }

    fn candidates(&self, at: usize) -> u16 {
        let (row, column, square) = Self::house(at);
        ALL & !(self.rows[row] | self.columns[column] | self.boxes[square])
    }

    fn toggle(&mut self, at: usize, digit: u8) {
        let (row, column, square) = Self::house(at);
        let bit = 1 << digit;
        self.rows[row] ^= bit;
        self.columns[column] ^= bit;
        self.boxes[square] ^= bit;
    }

    fn set(&mut self, at: usize, digit: u8) {
        self.cells[at] = digit;
        self.toggle(at, digit);
    }

    fn clear(&mut self, at: usize) {
        let digit = core::mem::take(&mut self.cells[at]);
        self.toggle(at, digit);
    }

    /// The empty cell with the fewest candidates.
    fn tightest(&self) -> Option<(usize, u16)> {
        self.cells
            .iter()
            .enumerate()
            .filter(|&(_, &digit)| digit == 0)
            .map(|(at, _)| (at, self.candidates(at)))
            .min_by_key(|(_, candidates)| candidates.count_ones())
    }

    /// Calls `found` with each solution until it breaks; counts the digits tried.
    fn solve(&mut self, tried: &mut u32, found: &mut impl FnMut(&[u8; 81]) -> ControlFlow<()>) -> ControlFlow<()> {
        let Some((at, candidates)) = self.tightest() else {
            return found(&self.cells);
        };
        for digit in (1..=9).filter(|digit| candidates >> digit & 1 == 1) {
            *tried += 1;
            self.set(at, digit);
            self.solve(tried, found)?;
            self.clear(at);
        }
        ControlFlow::Continue(())
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct SudokuResult {
    /// How many solutions there are, counted up to two.
    pub solutions: u32,
    pub tried: u32,
    /// The first cell at fault plus one; 0 where the text is a sudoku.
    pub fault: u32,
}

/// Writes the first solution of the sudoku that `text` is into `solution`, and says whether it is the only one.
#[routine]
pub fn sudoku_solve(text: &[u8], solution: &mut [u8]) -> SudokuResult {
    let mut sudoku = match Sudoku::parse(text) {
        Ok(sudoku) => sudoku,
        Err(error) => {
            let fault = match error {
                SudokuError::BadCell(at) | SudokuError::Conflict(at) => at as u32 + 1,
                SudokuError::Length => u32::MAX,
            };
            return SudokuResult {
                solutions: 0,
                tried: 0,
                fault,
            };
        }
    };
    let (mut solutions, mut tried) = (0, 0);
    let _ = sudoku.solve(&mut tried, &mut |cells| {
        if solutions == 0 {
            solution
                .iter_mut()
                .zip(cells)
                .for_each(|(out, digit)| *out = b'0' + digit);
        }
        solutions += 1;
        if solutions < 2 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    SudokuResult {
        solutions,
        tried,
        fault: 0,
    }
}

#[cfg(test)]
mod known {
    use super::*;

    const EASY: &[u8; 81] = b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const SOLVED: &[u8; 81] = b"534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    #[test]
    fn solves() {
        let mut out = [0; 81];
        let result = sudoku_solve(EASY, &mut out);
        assert_eq!((result.solutions, result.fault), (1, 0));
        assert_eq!(&out, SOLVED);
        let hard = b"4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......";
        assert_eq!(sudoku_solve(hard, &mut out).solutions, 1);
        assert_eq!(
            &out,
            b"417369825632158947958724316825437169791586432346912758289643571573291684164875293"
        );
    }

    #[test]
    fn faults() {
        let mut out = [0; 81];
        assert_eq!(sudoku_solve(&[b'.'; 81], &mut out).solutions, 2);
        let mut twice = *EASY;
        twice[2] = b'3';
        assert_eq!(sudoku_solve(&twice, &mut out).fault, 3);
        assert_eq!(sudoku_solve(b"12", &mut out).fault, u32::MAX);
    }
}
