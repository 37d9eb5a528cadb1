//! Cellular automata: Conway's Life on a torus of bits, Wireworld in cells, and the one-dimensional rules.

use core::fmt;

use gpuvm::prelude::*;

/// 32 by 32 cells, a word each row, joined at the edges.
#[derive(VmType, Clone, Copy, PartialEq, Eq)]
struct Life {
    rows: [u32; 32],
}

#[routine]
impl Life {
    fn step(&self) -> Self {
        let row = |y: usize| self.rows[y % 32];
        Self {
            rows: core::array::from_fn(|y| {
                let (above, here, below) = (row(y + 31), row(y), row(y + 1));
                let around = [
                    above.rotate_left(1),
                    above,
                    above.rotate_right(1),
                    here.rotate_left(1),
                    here.rotate_right(1),
                    below.rotate_left(1),
                    below,
                    below.rotate_right(1),
                ];
                // Counts to three in two bits, a third says that there are more.
                let (ones, twos, fours) = around.into_iter().fold((0, 0, 0), |(ones, twos, fours), bits| {
                    let carry = ones & bits;
                    (ones ^ bits, twos ^ carry, fours | (twos & carry))
                });
                twos & !fours & (ones | here)
            }),
        }
    }

    fn population(&self) -> u32 {
        self.rows.iter().map(|row| row.count_ones()).sum()
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeResult {
    pub population: u32,
    /// After how many generations, of those asked for, a state came back that was there before; 0 where none did.
    pub period: u32,
}

/// Runs Life from the rows given, the rest empty, and finds a cycle by Brent's method.
#[routine]
pub fn life(rows: &[u32], generations: u32) -> LifeResult {
    let mut life = Life {
        rows: core::array::from_fn(|y| rows.get(y).copied().unwrap_or(0)),
    };
    let mut marked = life;
    let (mut since, mut next_mark) = (0, 1u32);
    let mut period = 0;
    for generation in 0..generations {
        life = life.step();
        since += 1;
        if period == 0 && life == marked {
            period = since;
        }
        if generation + 1 == next_mark {
            marked = life;
            since = 0;
            next_mark *= 2;
        }
    }
    LifeResult {
        population: life.population(),
        period,
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wire {
    #[default]
    Empty,
    Conductor,
    Head,
    Tail,
}

#[routine]
impl From<u8> for Wire {
    fn from(byte: u8) -> Self {
        match byte {
            b'#' => Self::Conductor,
            b'@' => Self::Head,
            b'~' => Self::Tail,
            _ => Self::Empty,
        }
    }
}

#[routine]
impl Wire {
    fn next(self, heads: usize) -> Self {
        match (self, heads) {
            (Self::Empty, _) => Self::Empty,
            (Self::Head, _) => Self::Tail,
            (Self::Conductor, 1 | 2) => Self::Head,
            (Self::Tail | Self::Conductor, _) => Self::Conductor,
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol = match self {
            Self::Empty => ' ',
            Self::Conductor => '#',
            Self::Head => '@',
            Self::Tail => '~',
        };
        write!(f, "{symbol}")
    }
}

const W: usize = 16;
const H: usize = 5;

#[routine]
fn wire_step(cells: &[[Wire; W]; H]) -> [[Wire; W]; H] {
    let mut next = *cells;
    for (y, row) in next.iter_mut().enumerate() {
        for (x, cell) in row.iter_mut().enumerate() {
            let heads = (y.saturating_sub(1)..=(y + 1).min(H - 1))
                .flat_map(|v| (x.saturating_sub(1)..=(x + 1).min(W - 1)).map(move |u| (u, v)))
                .filter(|&(u, v)| (u, v) != (x, y) && cells[v][u] == Wire::Head)
                .count();
            *cell = cell.next(heads);
        }
    }
    next
}

/// How often an electron comes to the cell at x, y within the steps.
#[routine]
pub fn wireworld(picture: &[u8], x: u32, y: u32, steps: u32) -> u32 {
    let mut cells = [[Wire::default(); W]; H];
    for (row, line) in cells.iter_mut().zip(picture.chunks(W)) {
        for (cell, &byte) in row.iter_mut().zip(line) {
            *cell = Wire::from(byte);
        }
    }
    let mut seen = 0;
    for _ in 0..steps {
        cells = wire_step(&cells);
        let cell = cells.get(y as usize).and_then(|row| row.get(x as usize));
        seen += u32::from(cell.is_some_and(|&cell| cell == Wire::Head));
    }
    seen
}

/// The 64 cells of Wolfram's `rule` after `steps`, from one cell in the middle.
#[routine]
pub fn wolfram_rule(rule: u8, steps: u32) -> u64 {
    (0..steps).fold(1 << 32, |cells: u64, _| {
        let (left, right) = (cells.rotate_right(1), cells.rotate_left(1));
        (0..8)
            .filter(|pattern| rule >> pattern & 1 == 1)
            .fold(0, |next, pattern| {
                let select = |cells: u64, bit: u8| if pattern >> bit & 1 == 1 { cells } else { !cells };
                next | select(left, 2) & select(cells, 1) & select(right, 0)
            })
    })
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn lives() {
        let glider = [0b010, 0b001, 0b111];
        assert_eq!(
            life(&glider, 128),
            LifeResult {
                population: 5,
                period: 0
            }
        );
        assert_eq!(
            life(&glider, 400),
            LifeResult {
                population: 5,
                period: 128
            }
        );
        assert_eq!(
            life(&[0b111 << 8], 7),
            LifeResult {
                population: 3,
                period: 2
            }
        );
        let r_pentomino = [0b011 << 14, 0b110 << 14, 0b010 << 14];
        assert_eq!(life(&r_pentomino, 1).population, 6);
    }

    #[test]
    fn wires() {
        let ring = b"\
            ..@###..........\
            .~....#.........\
            ..####..........";
        assert_eq!(wireworld(ring, 6, 1, 100), 10);
        assert_eq!(wireworld(ring, 40, 1, 100), 0);
        assert_eq!(Wire::Head.to_string(), "@");
    }

    #[test]
    fn rules() {
        assert_eq!(wolfram_rule(90, 4).count_ones(), 2);
        assert_eq!(wolfram_rule(90, 15).count_ones(), 16);
        assert_eq!(wolfram_rule(30, 2), 0b11001 << 30);
    }
}
