//! Noughts and crosses: perfect play by alpha-beta over bit boards, a whole game, and Nim beside it.

use core::ops::{Neg, Not};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Player {
    Cross,
    Nought,
}

#[routine]
impl Not for Player {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Cross => Self::Nought,
            Self::Nought => Self::Cross,
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Loss,
    Draw,
    Win,
}

#[routine]
impl Neg for Outcome {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }
}

const LINES: [u16; 8] = [0o700, 0o070, 0o007, 0o444, 0o222, 0o111, 0o421, 0o124];

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Board {
    crosses: u16,
    noughts: u16,
}

#[routine]
impl Board {
    fn parse(text: &[u8]) -> Option<Self> {
        let text: &[u8; 9] = text.try_into().ok()?;
        text.iter()
            .rev()
            .try_fold(Self::default(), |Self { crosses, noughts }, cell| {
                let (cross, nought) = match cell.to_ascii_lowercase() {
                    b'x' => (1, 0),
                    b'o' => (0, 1),
                    b'.' | b' ' => (0, 0),
                    _ => return None,
                };
                Some(Self {
                    crosses: crosses << 1 | cross,
                    noughts: noughts << 1 | nought,
                })
            })
    }

    fn of(&self, player: Player) -> u16 {
        match player {
            Player::Cross => self.crosses,
            Player::Nought => self.noughts,
        }
    }

    fn has_won(&self, player: Player) -> bool {
        let cells = self.of(player);
        LINES.iter().any(|line| line & !cells == 0)
    }

    fn moves(&self) -> impl Iterator<Item = u8> + use<> {
        let taken = self.crosses | self.noughts;
        // The middle first, then corners: cuts come sooner.
        [4, 0, 2, 6, 8, 1, 3, 5, 7]
            .into_iter()
            .filter(move |at| taken >> at & 1 == 0)
    }

    fn play(mut self, player: Player, at: u8) -> Self {
        let cells = match player {
            Player::Cross => &mut self.crosses,
            Player::Nought => &mut self.noughts,
        };
        *cells |= 1 << at;
        self
    }

    fn to_move(self) -> Player {
        if self.crosses.count_ones() > self.noughts.count_ones() {
            Player::Nought
        } else {
            Player::Cross
        }
    }

    /// The outcome for `player`, who is to move, within the window.
    fn search(self, player: Player, mut alpha: Outcome, beta: Outcome, nodes: &mut u32) -> Outcome {
        *nodes += 1;
        if self.has_won(!player) {
            return Outcome::Loss;
        }
        if self.crosses | self.noughts == 0o777 {
            return Outcome::Draw;
        }
        for at in self.moves() {
            let outcome = -self.play(player, at).search(!player, -beta, -alpha, nodes);
            alpha = alpha.max(outcome);
            if alpha >= beta {
                break;
            }
        }
        alpha
    }

    fn best_move(self, nodes: &mut u32) -> Option<(u8, Outcome)> {
        let player = self.to_move();
        let mut best = None;
        for at in self.moves() {
            let outcome = -self
                .play(player, at)
                .search(!player, Outcome::Loss, Outcome::Win, nodes);
            match best {
                Some((_, known)) if known >= outcome => {}
                _ => best = Some((at, outcome)),
            }
        }
        best
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Where to play: 0 to 8; 9 where the game is over, 10 where the board is none.
    pub at: u8,
    /// 1 for a win, 0 for a draw, -1 for a loss of who is to move.
    pub outcome: i8,
    pub nodes: u32,
}

#[routine]
pub fn tic_tac_toe(board: &[u8]) -> Advice {
    let Some(board) = Board::parse(board) else {
        return Advice {
            at: 10,
            outcome: 0,
            nodes: 0,
        };
    };
    if board.has_won(!board.to_move()) {
        return Advice {
            at: 9,
            outcome: -1,
            nodes: 0,
        };
    }
    let mut nodes = 0;
    let (at, outcome) = board.best_move(&mut nodes).unwrap_or((9, Outcome::Draw));
    Advice {
        at,
        outcome: outcome as i8 - 1,
        nodes,
    }
}

/// Plays on to the end: the moves of both, then 255.
#[routine]
pub fn tic_tac_toe_game(start: &[u8]) -> [u8; 9] {
    let mut record = [u8::MAX; 9];
    let Some(mut board) = Board::parse(start) else {
        return record;
    };
    for slot in record.iter_mut() {
        if board.has_won(!board.to_move()) {
            break;
        }
        let Some((at, _)) = board.best_move(&mut 0) else {
            break;
        };
        board = board.play(board.to_move(), at);
        *slot = at;
    }
    record
}

/// The winning move in Nim as the heap and what is left of it; `None` as two times 255.
#[routine]
pub fn nim_move(heaps: [u8; 5]) -> [u8; 2] {
    let nim_sum = heaps.iter().fold(0, |sum, heap| sum ^ heap);
    let winning = heaps
        .iter()
        .map(|heap| heap ^ nim_sum)
        .enumerate()
        .find(|&(i, left)| left < heaps[i]);
    winning.map(|(i, left)| [i as u8, left]).unwrap_or([u8::MAX; 2])
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn advice() {
        assert_eq!(tic_tac_toe(b".........").outcome, 0);
        let win = tic_tac_toe(b"xx.oo....");
        assert_eq!((win.at, win.outcome), (2, 1));
        let block = tic_tac_toe(b"x...o...x");
        assert_eq!(block.outcome, 0);
        assert!(block.at % 2 == 1, "a corner would lose");
        assert_eq!(tic_tac_toe(b"xxxoo....").at, 9);
        assert_eq!(tic_tac_toe(b"xx").at, 10);
    }

    #[test]
    fn games() {
        let game = tic_tac_toe_game(b".........");
        assert!(!game.contains(&u8::MAX), "perfect play is a draw");
        assert_eq!(tic_tac_toe_game(b"xx.oo....")[..2], [2, 255]);
        assert_eq!(nim_move([1, 3, 5, 7, 0]), [255, 255]);
        assert_eq!(nim_move([1, 3, 5, 6, 0]), [0, 0]);
    }
}
