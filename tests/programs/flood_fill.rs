//! Connected regions of an image: flood fill with a queue in an array, labels of all regions, and their sizes.

use gpuvm::prelude::*;

const WIDTH: usize = 12;
const HEIGHT: usize = 8;
const CELLS: usize = WIDTH * HEIGHT;

/// First in, first out, in a ring of `N` slots.
#[derive(VmType, Clone, Copy)]
struct Queue<T, const N: usize> {
    slots: [Option<T>; N],
    head: usize,
    len: usize,
}

#[routine]
impl<T: Copy, const N: usize> Queue<T, N> {
    const EMPTY: Self = Self {
        slots: [None; N],
        head: 0,
        len: 0,
    };

    fn push_back(&mut self, item: T) {
        assert!(self.len < N, "the queue is full");
        self.slots[(self.head + self.len) % N] = Some(item);
        self.len += 1;
    }

    fn pop_front(&mut self) -> Option<T> {
        let item = self.slots[self.head].take()?;
        self.head = (self.head + 1) % N;
        self.len -= 1;
        Some(item)
    }
}

#[routine]
fn neighbours(cell: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (cell / WIDTH, cell % WIDTH);
    [
        (row > 0).then(|| cell - WIDTH),
        (column > 0).then(|| cell - 1),
        (column + 1 < WIDTH).then(|| cell + 1),
        (row + 1 < HEIGHT).then(|| cell + WIDTH),
    ]
    .into_iter()
    .flatten()
}

/// Gives the region of `cell` the colour `to`; how many cells that were.
#[routine]
fn fill(image: &mut [u8; CELLS], cell: usize, to: u8) -> u32 {
    let from = core::mem::replace(&mut image[cell], to);
    if from == to {
        return 0;
    }
    let mut queue = Queue::<usize, CELLS>::EMPTY;
    queue.push_back(cell);
    let mut filled = 1;
    while let Some(cell) = queue.pop_front() {
        for next in neighbours(cell) {
            if image[next] == from {
                image[next] = to;
                filled += 1;
                queue.push_back(next);
            }
        }
    }
    filled
}

/// Fills from a place; the filled image, in which a place outside changes nothing.
#[routine]
pub fn flood_fill(image: &mut [u8], x: u32, y: u32, to: u8) -> u32 {
    let (x, y) = (x as usize, y as usize);
    match image.first_chunk_mut::<CELLS>() {
        Some(image) if x < WIDTH && y < HEIGHT => fill(image, y * WIDTH + x, to),
        _ => 0,
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Regions {
    pub count: u32,
    pub largest: u32,
    pub smallest: u32,
    /// Cells in regions that touch no edge.
    pub enclosed: u32,
}

/// What regions of the letter `of` an image has.
#[routine]
pub fn regions(image: &[u8], of: u8) -> Regions {
    let Some(&image) = image.first_chunk::<CELLS>() else {
        return Regions::default();
    };
    let mut image = image.map(|cell| u8::from(cell == of));
    let mut sizes = [0u32; CELLS];
    let mut count = 0;
    while let Some(cell) = image.iter().position(|&cell| cell == 1) {
        sizes[count] = fill(&mut image, cell, 2);
        count += 1;
    }
    // From the edges inward: what is left of 2 is enclosed.
    let edge = |cell: &usize| {
        let (row, column) = (cell / WIDTH, cell % WIDTH);
        [0, HEIGHT - 1].contains(&row) || matches!(column, 0 | 11)
    };
    for cell in (0..CELLS).filter(edge) {
        if image[cell] == 2 {
            fill(&mut image, cell, 3);
        }
    }
    let sizes = &sizes[..count];
    Regions {
        count: count as u32,
        largest: sizes.iter().copied().max().unwrap_or(0),
        smallest: sizes.iter().copied().min().unwrap_or(0),
        enclosed: image.iter().filter(|&&cell| cell == 2).count() as u32,
    }
}

#[cfg(test)]
mod known {
    use super::*;

    const IMAGE: &[u8; CELLS] = b"\
        ##..........\
        ##..####....\
        ....#..#..#.\
        ....#..#..#.\
        ....####....\
        ............\
        .###......##\
        .#........##";

    #[test]
    fn fills() {
        let mut image = *IMAGE;
        assert_eq!(flood_fill(&mut image, 5, 2, b'o'), 4);
        assert_eq!(&image[28..32], b"#oo#");
        assert_eq!(flood_fill(&mut image, 5, 2, b'o'), 0);
        assert_eq!(flood_fill(&mut image, 12, 2, b'o'), 0);
        assert_eq!(flood_fill(&mut image, 11, 7, b' '), 4);
    }

    #[test]
    fn counts() {
        assert_eq!(
            regions(IMAGE, b'#'),
            Regions {
                count: 5,
                largest: 12,
                smallest: 2,
                enclosed: 14
            }
        );
        assert_eq!(
            regions(IMAGE, b'.'),
            Regions {
                count: 2,
                largest: 66,
                smallest: 4,
                enclosed: 4
            }
        );
        assert_eq!(regions(b"", b'#'), Regions::default());
    }
}
