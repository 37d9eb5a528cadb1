//! Routines that return `impl Iterator`.

use gpuvm::prelude::*;

cases! {
    free_moves, neighbours_in_a_grid, pairs_of_few, digits_both_ways, borrowed_items, opaque_of_opaque, probed_table, above_of_any,
}

#[derive(VmType, Clone, Copy)]
struct Board {
    cells: [u8; 9],
}

#[routine]
impl Board {
    fn of(n: u32) -> Board {
        Board {
            cells: std::array::from_fn(|i| (n >> i & 1) as u8),
        }
    }

    fn moves(&self) -> impl Iterator<Item = u8> + use<> {
        let board = *self;
        (0..9u8).filter(move |&i| board.cells[usize::from(i)] == 0)
    }

    fn taken(&self) -> impl Iterator<Item = (usize, &u8)> {
        self.cells.iter().enumerate().filter(|(_, cell)| **cell != 0)
    }

    fn odd_moves(&self) -> impl Iterator<Item = u32> + use<> {
        self.moves().map(u32::from).filter(|x| x % 2 == 1)
    }
}

#[routine]
fn free_moves(n: u32) -> (u32, Option<u8>, usize) {
    let board = Board::of(n);
    let mut hash = 7u32;
    for m in board.moves() {
        hash = hash.wrapping_mul(31).wrapping_add(u32::from(m));
    }
    let most = board.moves().map(|m| m * 7 % 5).max();
    (hash, most, board.moves().count())
}

#[routine]
fn neighbours(cell: usize) -> impl Iterator<Item = usize> {
    let around = [cell.wrapping_sub(1), cell + 1, cell.wrapping_sub(3), cell + 3];
    around.into_iter().filter(|&other| other < 9)
}

#[routine]
fn neighbours_in_a_grid(n: u32) -> (usize, usize) {
    let mut seen = 0;
    for cell in 0..(n % 10) as usize {
        for other in neighbours(cell) {
            seen = seen * 3 % 10_007 + other;
        }
    }
    (seen, neighbours((n % 9) as usize).last().unwrap_or(99))
}

#[routine]
fn pairs(most: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..most).flat_map(move |a| (a + 1..most).map(move |b| (a, b)))
}

#[routine]
fn pairs_of_few(n: u32) -> (usize, usize) {
    let most = (n % 7) as usize;
    (
        pairs(most).map(|(a, b)| a * b).sum(),
        pairs(most).filter(|(a, b)| (a + b) % 2 == 1).count(),
    )
}

#[routine]
fn digits(n: u32) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
    (0..6u8).map(move |i| n / 10u32.pow(u32::from(i)) % 10)
}

#[routine]
fn digits_both_ways(n: u32) -> (u32, u32, usize, Option<u32>) {
    (
        digits(n).rev().fold(0, |number, digit| number * 10 + digit),
        digits(n).skip(1).step_by(2).take(2).sum::<u32>(),
        digits(n).len(),
        digits(n).next_back(),
    )
}

#[routine]
fn borrowed_items(n: u32) -> (usize, u32) {
    let board = Board::of(n);
    let sum = board.taken().map(|(i, cell)| u32::from(*cell) << i).sum();
    (board.taken().map(|(i, _)| i).sum(), sum)
}

#[routine]
fn opaque_of_opaque(n: u32) -> (u32, bool) {
    let board = Board::of(n);
    let mut moves = board.odd_moves();
    let first = moves.next().unwrap_or(50);
    (first + moves.sum::<u32>(), board.odd_moves().any(|x| x == 5))
}

/// A type whose methods call one of them that returns an opaque iterator, and ask no more of its parameters than their own code does.
#[derive(VmType, Clone, Copy)]
struct Table<K, V, const N: usize> {
    slots: [Option<(K, V)>; N],
}

#[routine]
impl<K: Copy + PartialEq + Into<u32>, V: Copy, const N: usize> Table<K, V, N> {
    fn new() -> Self {
        Table { slots: [None; N] }
    }

    fn probe(&self, key: K) -> impl Iterator<Item = usize> + use<K, V, N> {
        let start = key.into() as usize % N;
        (start..N).chain(0..start)
    }

    fn find(&self, key: K) -> Option<usize> {
        self.probe(key)
            .find(|&at| self.slots[at].is_none_or(|(known, _)| known == key))
    }

    fn get(&self, key: K) -> Option<V> {
        self.slots[self.find(key)?].map(|(_, value)| value)
    }

    fn insert(&mut self, key: K, value: V) -> bool {
        match self.find(key) {
            Some(at) => {
                self.slots[at] = Some((key, value));
                true
            }
            None => false,
        }
    }

    fn len(&self) -> usize {
        self.slots.iter().flatten().count()
    }
}

#[routine]
fn probed_table(n: u32, byte: u8) -> (usize, u32, Option<u32>, Option<u32>) {
    let mut table = Table::<u16, u32, 7>::new();
    let mut lost = 0;
    for i in 0..n % 12 {
        let key = (n.rotate_left(i * 5) as u16) % 23;
        if !table.insert(key, i) {
            lost += 1;
        }
    }
    (
        table.len(),
        lost,
        table.get(u16::from(byte) % 23),
        table.get(n as u16 % 23),
    )
}

#[derive(VmType, Clone, Copy)]
struct Bag<T, const N: usize> {
    items: [Option<T>; N],
}

#[routine]
impl<T: Copy + PartialOrd, const N: usize> Bag<T, N> {
    fn above(&self, low: T) -> impl Iterator<Item = T> + '_ {
        self.items.iter().flatten().copied().filter(move |x| *x > low)
    }

    fn count_above(&self, low: T) -> usize {
        self.above(low).count()
    }
}

/// A generic function of its own, which asks no more than the method does.
#[routine]
fn rank<T: Copy + PartialOrd, const N: usize>(bag: &Bag<T, N>, x: T) -> usize {
    bag.above(x).count() + 1
}

#[routine]
fn above_of_any(a: u32) -> (usize, usize, usize) {
    let bag = Bag {
        items: [Some(a % 10), None, Some(5), Some(7)],
    };
    let floats = Bag {
        items: [Some(a as f32), Some(f32::NAN)],
    };
    (rank(&bag, 4), bag.count_above(6), rank(&floats, 0.5))
}
