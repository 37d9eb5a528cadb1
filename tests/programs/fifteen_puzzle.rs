//! The fifteen puzzle, solved by iterative deepening A* (Korf 1985) with the Manhattan distance.

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Up,
    Down,
    Left,
    Right,
}

#[routine]
impl Move {
    const ALL: [Move; 4] = [Move::Up, Move::Down, Move::Left, Move::Right];

    fn opposite(self) -> Move {
        match self {
            Move::Up => Move::Down,
            Move::Down => Move::Up,
            Move::Left => Move::Right,
            Move::Right => Move::Left,
        }
    }

    /// Where the gap goes.
    fn from(self, gap: usize) -> Option<usize> {
        let (row, column) = (gap / SIDE, gap % SIDE);
        let (row, column) = match self {
            Move::Up => (row.checked_sub(1)?, column),
            Move::Down => (row + 1, column),
            Move::Left => (row, column.checked_sub(1)?),
            Move::Right => (row, column + 1),
        };
        (row < SIDE && column < SIDE).then_some(row * SIDE + column)
    }

    fn letter(self) -> u8 {
        b"UDLR"[self as usize]
    }
}

const SIDE: usize = 4;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Board {
    tiles: [u8; SIDE * SIDE],
    gap: usize,
}

#[routine]
fn distance(tile: u8, at: usize) -> u32 {
    if tile == 0 {
        return 0;
    }
    let home = usize::from(tile) - 1;
    (home / SIDE).abs_diff(at / SIDE) as u32 + (home % SIDE).abs_diff(at % SIDE) as u32
}

#[routine]
impl Board {
    const SOLVED: Board = Board {
        tiles: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0],
        gap: 15,
    };

    /// `None` where a tile is missing, or the board cannot be solved.
    fn new(tiles: [u8; 16]) -> Option<Board> {
        let seen = tiles
            .iter()
            .filter(|&&tile| tile < 16)
            .fold(0u16, |seen, tile| seen | 1 << tile);
        if seen != u16::MAX {
            return None;
        }
        let gap = tiles.iter().position(|&tile| tile == 0)?;
        let board = Board { tiles, gap };
        board.is_solvable().then_some(board)
    }

    fn is_solvable(&self) -> bool {
        let inversions: usize = self
            .tiles
            .iter()
            .enumerate()
            .map(|(i, a)| self.tiles[i + 1..].iter().filter(|&b| *b != 0 && b < a).count())
            .sum();
        (inversions + self.gap / SIDE) % 2 == 1
    }

    fn estimate(&self) -> u32 {
        self.tiles
            .iter()
            .enumerate()
            .map(|(at, &tile)| distance(tile, at))
            .sum()
    }

    /// Moves the gap, and says by how much the estimate changes.
    fn step(&mut self, way: Move) -> Option<i32> {
        let to = way.from(self.gap)?;
        let tile = self.tiles[to];
        let change = distance(tile, self.gap) as i32 - distance(tile, to) as i32;
        self.tiles.swap(self.gap, to);
        self.gap = to;
        Some(change)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Found,
    /// The least cost beyond the bound.
    Over(u32),
    OutOfNodes,
}

#[derive(VmType)]
struct Search<'p> {
    board: Board,
    path: &'p mut [u8],
    length: usize,
    nodes: u32,
}

#[routine]
impl Search<'_> {
    fn deepen(&mut self, estimate: u32, bound: u32, last: Option<Move>) -> Outcome {
        let cost = self.length as u32 + estimate;
        if cost > bound {
            return Outcome::Over(cost);
        }
        if estimate == 0 {
            return Outcome::Found;
        }
        let Some(nodes) = self.nodes.checked_sub(1) else {
            return Outcome::OutOfNodes;
        };
        self.nodes = nodes;
        let mut least = u32::MAX;
        for way in Move::ALL {
            if last.map(Move::opposite) == Some(way) {
                continue;
            }
            let Some(change) = self.board.step(way) else { continue };
            if let Some(slot) = self.path.get_mut(self.length) {
                *slot = way.letter();
            }
            self.length += 1;
            match self.deepen(estimate.wrapping_add_signed(change), bound, Some(way)) {
                Outcome::Over(cost) => least = least.min(cost),
                end => return end,
            }
            self.length -= 1;
            self.board.step(way.opposite());
        }
        Outcome::Over(least)
    }

    fn run(&mut self) -> Option<usize> {
        let estimate = self.board.estimate();
        let mut bound = estimate;
        loop {
            match self.deepen(estimate, bound, None) {
                Outcome::Found => return Some(self.length),
                Outcome::Over(u32::MAX) | Outcome::OutOfNodes => return None,
                Outcome::Over(next) => bound = next,
            }
        }
    }
}

/// Moves the gap as a hash says, and solves what has come of it: how many moves that takes, and which.
#[routine]
pub fn fifteen_scrambled(seed: u32, moves: u32, path: &mut [u8]) -> i32 {
    let mut board = Board::SOLVED;
    let mut state = seed | 1;
    for _ in 0..moves {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let _ = board.step(Move::ALL[state as usize % Move::ALL.len()]);
    }
    let mut search = Search {
        board,
        path,
        length: 0,
        nodes: 20_000,
    };
    search.run().map_or(-1, |length| length as i32)
}

/// How many moves a board takes; less than 0 where it is none, or takes too long.
#[routine]
pub fn fifteen_moves(tiles: [u8; 16]) -> i32 {
    let Some(board) = Board::new(tiles) else {
        return -2;
    };
    let mut path = [0; 8];
    let mut search = Search {
        board,
        path: &mut path,
        length: 0,
        nodes: 5_000,
    };
    match search.run() {
        Some(length) => length.try_into().unwrap_or(i32::MAX),
        None => -1,
    }
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn boards() {
        let mut tiles = Board::SOLVED.tiles;
        assert_eq!(fifteen_moves(tiles), 0);
        tiles.swap(0, 1);
        assert_eq!(fifteen_moves(tiles), -2);
        assert_eq!(fifteen_moves([0; 16]), -2);
        assert_eq!(fifteen_moves([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 11, 12, 13, 10, 14, 15]), 3);
    }

    #[test]
    fn scrambles() {
        let mut path = [0; 40];
        let length = fifteen_scrambled(77, 30, &mut path);
        assert!((0..=30).contains(&length));
        assert!(path[..length as usize].iter().all(|b| b"UDLR".contains(b)));
        assert_eq!(fifteen_scrambled(5, 0, &mut path), 0);
    }
}
