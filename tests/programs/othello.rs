//! Othello on two words of bits: moves, flips, a search with a table of weights, and games that play themselves.

use core::ops::{BitAnd, BitOr, Not};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Bits(pub u64);

#[routine]
impl BitAnd for Bits {
    type Output = Bits;

    fn bitand(self, other: Bits) -> Bits {
        Bits(self.0 & other.0)
    }
}

#[routine]
impl BitOr for Bits {
    type Output = Bits;

    fn bitor(self, other: Bits) -> Bits {
        Bits(self.0 | other.0)
    }
}

#[routine]
impl Not for Bits {
    type Output = Bits;

    fn not(self) -> Bits {
        Bits(!self.0)
    }
}

#[routine]
impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let at = (self.0 != 0).then(|| self.0.trailing_zeros())?;
        self.0 &= self.0 - 1;
        Some(at)
    }
}

#[routine]
impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(squares: I) -> Self {
        squares
            .into_iter()
            .fold(Bits::default(), |bits, at| bits | Bits(1 << at))
    }
}

const NOT_LEFT: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_RIGHT: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const WEIGHTS: [i32; 4] = [20, -3, 2, 1];

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    East,
    South,
    SouthEast,
    SouthWest,
}

#[routine]
impl Direction {
    const ALL: [Self; 4] = [Self::East, Self::South, Self::SouthEast, Self::SouthWest];

    fn shift(self, bits: Bits, forward: bool) -> Bits {
        let (by, mask) = match self {
            Self::East => (1, if forward { NOT_LEFT } else { NOT_RIGHT }),
            Self::South => (8, u64::MAX),
            Self::SouthEast => (9, if forward { NOT_LEFT } else { NOT_RIGHT }),
            Self::SouthWest => (7, if forward { NOT_RIGHT } else { NOT_LEFT }),
        };
        Bits(if forward { bits.0 << by } else { bits.0 >> by } & mask)
    }
}

/// Whose turn it is comes first.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    pub own: Bits,
    pub other: Bits,
}

#[routine]
impl Board {
    pub const START: Board = Board {
        own: Bits(0x0000_0008_1000_0000),
        other: Bits(0x0000_0010_0800_0000),
    };

    /// What would be flipped by a disc there.
    fn flips(&self, at: u32) -> Bits {
        let mut flips = Bits::default();
        for direction in Direction::ALL {
            for forward in [true, false] {
                let mut line = Bits::default();
                let mut here = direction.shift(Bits(1 << at), forward);
                while here & self.other != Bits(0) {
                    line = line | here;
                    here = direction.shift(here, forward);
                }
                if here & self.own != Bits(0) {
                    flips = flips | line;
                }
            }
        }
        flips
    }

    fn moves(&self) -> impl Iterator<Item = (u32, Bits)> {
        let board = *self;
        let empty = !(self.own | self.other);
        empty
            .map(move |at| (at, board.flips(at)))
            .filter(|&(_, flips)| flips != Bits(0))
    }

    fn passed(self) -> Board {
        Board {
            own: self.other,
            other: self.own,
        }
    }

    fn played(self, at: u32, flips: Bits) -> Board {
        Board {
            own: self.other & !flips,
            other: self.own | flips | Bits(1 << at),
        }
    }

    fn score(&self) -> i32 {
        let weight = |at: u32| {
            let [x, y] = [at % 8, at / 8].map(|c| c.min(7 - c));
            match (x.min(y), x.max(y)) {
                (0, 0) => WEIGHTS[0],
                (0, 1) | (1, 1) => WEIGHTS[1],
                (0, _) => WEIGHTS[2],
                _ => WEIGHTS[3],
            }
        };
        self.own.map(weight).sum::<i32>() - self.other.map(weight).sum::<i32>()
    }

    fn search(self, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        if depth == 0 {
            return self.score();
        }
        let mut best = None;
        for (at, flips) in self.moves() {
            let value = -self.played(at, flips).search(depth - 1, -beta, -alpha);
            if best.is_none_or(|best| value > best) {
                best = Some(value);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best.unwrap_or_else(|| -self.passed().search(depth - 1, -beta, -alpha))
    }

    fn best_move(&self, depth: u32) -> Option<(u32, Bits)> {
        self.moves()
            .min_by_key(|&(at, flips)| self.played(at, flips).search(depth, -1000, 1000))
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    pub discs: [u32; 2],
    pub plies: u32,
    pub last: Option<u32>,
}

/// A game of a searcher, who begins, against one who takes as many as it can.
#[routine]
pub fn othello_game(depth: u32, limit: u32) -> Game {
    let mut board = Board::START;
    let mut game = Game {
        discs: [2, 2],
        plies: 0,
        last: None,
    };
    let mut passes = 0;
    while passes < 2 && game.plies < limit {
        let greedy = || board.moves().max_by_key(|(_, flips)| flips.0.count_ones());
        let chosen = if game.plies % 2 == 0 {
            board.best_move(depth)
        } else {
            greedy()
        };
        board = match chosen {
            Some((at, flips)) => {
                passes = 0;
                game.last = Some(at);
                board.played(at, flips)
            }
            None => {
                passes += 1;
                board.passed()
            }
        };
        game.plies += 1;
    }
    let [a, b] = [board.own, board.other].map(|bits| bits.count() as u32);
    game.discs = if game.plies % 2 == 0 { [a, b] } else { [b, a] };
    game
}

/// How many positions there are after so many moves.
#[routine]
pub fn othello_perft(board: Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = board.moves().peekable();
    if moves.peek().is_none() {
        let passed = board.passed();
        return if passed.moves().next().is_none() {
            1
        } else {
            othello_perft(passed, depth - 1)
        };
    }
    moves
        .map(|(at, flips)| othello_perft(board.played(at, flips), depth - 1))
        .sum()
}

/// The squares of a rank or of a file, whichever is named.
#[routine]
pub fn othello_line(letter: u8) -> Bits {
    match letter {
        b'a'..=b'h' => (0..8).map(|y| y * 8 + u32::from(letter - b'a')).collect(),
        b'1'..=b'8' => (0..8).map(|x| x + 8 * u32::from(letter - b'1')).collect(),
        _ => Bits(0),
    }
}

pub fn known() {
    for (depth, count) in [(1, 4), (2, 12), (3, 56), (4, 244), (5, 1396)] {
        assert_eq!(othello_perft(Board::START, depth), count);
    }
    assert_eq!(othello_line(b'a'), Bits(0x0101_0101_0101_0101));
    assert_eq!(othello_line(b'2'), Bits(0xff00));
    let game = othello_game(1, 20);
    assert_eq!(game.discs[0] + game.discs[1], 24);
}
