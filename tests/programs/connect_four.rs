//! Connect four: bitboards, negamax with alpha-beta, a table of positions seen, and moves in the order of their promise.

use core::fmt::{self, Display, Write};
use core::ops::{BitOr, BitOrAssign, Not};

use gpuvm::prelude::*;

const COLUMNS: u32 = 7;
const ROWS: u32 = 6;

/// A column has a bit more than rows, so that lines do not run over.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board(u64);

#[routine]
impl Board {
    const fn column(column: u32) -> Self {
        Board(((1 << ROWS) - 1) << (column * (ROWS + 1)))
    }

    const fn bottom(column: u32) -> Self {
        Board(1 << (column * (ROWS + 1)))
    }

    const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn has_four(self) -> bool {
        [1, ROWS, ROWS + 1, ROWS + 2].iter().any(|&step| {
            let pairs = self.0 & self.0 >> step;
            pairs & pairs >> (2 * step) != 0
        })
    }
}

#[routine]
impl BitOr for Board {
    type Output = Board;

    fn bitor(self, rhs: Board) -> Board {
        Board(self.0 | rhs.0)
    }
}

#[routine]
impl BitOrAssign for Board {
    fn bitor_assign(&mut self, rhs: Self) {
        *self = *self | rhs;
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Player {
    #[default]
    First,
    Second,
}

#[routine]
impl Not for Player {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    discs: [Board; 2],
    turn: Player,
    moves: u32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMove {
    NoSuchColumn(u8),
    Full { column: u8, at: u32 },
    GameOver,
}

#[routine]
impl Position {
    fn all(&self) -> Board {
        let [first, second] = self.discs;
        first | second
    }

    fn can_play(&self, column: u32) -> bool {
        let Board(all) = self.all();
        let Board(mask) = Board::column(column);
        all & mask != mask
    }

    fn play(&mut self, column: u32) {
        let Board(all) = self.all();
        let disc = Board(all.wrapping_add(Board::bottom(column).0) & Board::column(column).0 & !all);
        self.discs[self.turn as usize] |= disc;
        self.turn = !self.turn;
        self.moves += 1;
    }

    fn after(mut self, column: u32) -> Self {
        self.play(column);
        self
    }

    fn opponent_has_won(&self) -> bool {
        self.discs[!self.turn as usize].has_four()
    }

    fn key(&self) -> u64 {
        self.all().0 + self.discs[self.turn as usize].0 + (1 << (COLUMNS * (ROWS + 1))) - 1
    }

    fn parse(text: &[u8]) -> Result<Self, IllegalMove> {
        text.iter().try_fold(Self::default(), |position, &letter| {
            if position.opponent_has_won() {
                return Err(IllegalMove::GameOver);
            }
            match letter {
                b'1'..=b'7' => {
                    let column = u32::from(letter - b'1');
                    position
                        .can_play(column)
                        .then(|| position.after(column))
                        .ok_or(IllegalMove::Full {
                            column: letter - b'0',
                            at: position.moves,
                        })
                }
                other => Err(IllegalMove::NoSuchColumn(other)),
            }
        })
    }
}

/// The middle first.
#[routine]
fn order() -> impl Iterator<Item = u32> {
    (0..COLUMNS).map(|i| if i % 2 == 0 { 3 + i / 2 } else { 3 - i.div_ceil(2) })
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Exact(i8),
    AtLeast(i8),
    AtMost(i8),
}

#[derive(VmType, Clone, Copy)]
struct Entry {
    key: u64,
    depth: u32,
    bound: Bound,
}

#[derive(VmType)]
struct Table<const N: usize> {
    entries: [Option<Entry>; N],
    hits: u32,
}

#[routine]
impl<const N: usize> Table<N> {
    fn new() -> Self {
        Self {
            entries: [None; N],
            hits: 0,
        }
    }

    fn slot(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % N
    }

    fn get(&mut self, key: u64, depth: u32) -> Option<Bound> {
        let entry = self.entries[Self::slot(key)].filter(|entry| entry.key == key && entry.depth >= depth)?;
        self.hits += 1;
        Some(entry.bound)
    }

    fn put(&mut self, key: u64, depth: u32, bound: Bound) {
        let slot = &mut self.entries[Self::slot(key)];
        if slot.is_none_or(|old| old.depth <= depth) {
            *slot = Some(Entry { key, depth, bound });
        }
    }
}

#[derive(VmType)]
struct Search {
    table: Table<64>,
    nodes: u32,
}

#[routine]
impl Search {
    const WIN: i8 = 100;

    fn score(&mut self, position: &Position, depth: u32, mut alpha: i8, mut beta: i8) -> i8 {
        self.nodes += 1;
        if position.opponent_has_won() {
            return -Self::WIN + position.moves as i8;
        }
        if depth == 0 || position.moves == COLUMNS * ROWS {
            return 0;
        }
        let key = position.key();
        match self.table.get(key, depth) {
            Some(Bound::Exact(score)) => return score,
            Some(Bound::AtLeast(score)) => alpha = alpha.max(score),
            Some(Bound::AtMost(score)) => beta = beta.min(score),
            None => {}
        }
        if alpha >= beta {
            return alpha;
        }
        let before = alpha;
        let mut best = i8::MIN + 1;
        for column in order().filter(|&column| position.can_play(column)) {
            let score = -self.score(&position.after(column), depth - 1, -beta, -alpha);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        let bound = match best {
            _ if best <= before => Bound::AtMost(best),
            _ if best >= beta => Bound::AtLeast(best),
            _ => Bound::Exact(best),
        };
        self.table.put(key, depth, bound);
        best
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    pub column: u8,
    pub score: i8,
    pub nodes: u32,
    pub hits: u32,
}

/// The best move after moves by their columns, as far as so many plies show.
#[routine]
pub fn connect_four_best(moves: &[u8], depth: u32) -> Result<Advice, IllegalMove> {
    let position = Position::parse(moves)?;
    if position.opponent_has_won() {
        return Err(IllegalMove::GameOver);
    }
    let mut search = Search {
        table: Table::new(),
        nodes: 0,
    };
    let (column, score) = order()
        .filter(|&column| position.can_play(column))
        .map(|column| (column, -search.score(&position.after(column), depth, -127, 127)))
        .max_by_key(|&(_, score)| score)
        .ok_or(IllegalMove::GameOver)?;
    Ok(Advice {
        column: column as u8 + 1,
        score,
        nodes: search.nodes,
        hits: search.table.hits,
    })
}

impl Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..ROWS).rev() {
            for column in 0..COLUMNS {
                let bit = Board(1 << (column * (ROWS + 1) + row));
                f.write_char(match self.discs {
                    [first, _] if first.intersects(bit) => 'X',
                    [_, second] if second.intersects(bit) => 'O',
                    _ => '.',
                })?;
            }
            f.write_char('\n')?;
        }
        Ok(())
    }
}

/// A text on a buffer that somebody else has.
#[derive(VmType)]
struct Page<'a> {
    room: &'a mut [u8],
    len: usize,
}

#[routine]
impl Write for Page<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.room[self.len..].get_mut(..text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

#[routine]
impl Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchColumn(letter) => write!(f, "no column {:?}", char::from(*letter)),
            Self::Full { column, at } => write!(f, "move {at}: column {column} is full"),
            Self::GameOver => f.write_str("the game is over"),
        }
    }
}

/// What is wrong with moves, as a text.
#[routine]
pub fn connect_four_error(moves: &[u8], out: &mut [u8]) -> Option<u32> {
    let error = Position::parse(moves).err()?;
    let mut page = Page { room: out, len: 0 };
    write!(page, "{error}!").ok()?;
    Some(page.len as u32)
}

pub fn known() {
    let advice = connect_four_best(b"121212", 1).unwrap();
    assert_eq!((advice.column, advice.score), (1, 93));
    // Not to let the other one win.
    assert_eq!(connect_four_best(b"12131", 2).map(|advice| advice.column), Ok(1));
    assert_eq!(
        connect_four_best(b"1111111", 1),
        Err(IllegalMove::Full { column: 1, at: 6 })
    );
    assert_eq!(connect_four_best(b"12121212", 1), Err(IllegalMove::GameOver));
    let mut text = [0; 32];
    let len = connect_four_error(b"48", &mut text).unwrap() as usize;
    assert_eq!(&text[..len], b"no column '8'!");
}
