//! Two substances that react and diffuse in a box (Gray and Scott, 1984; the patterns are Pearson's, "Complex patterns in a simple system", 1993), and how it looks.

use gpuvm::prelude::*;
use gpuvm::{Buffer, Result, Runtime};

/// How much of either substance there is in a cell.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    u: f32,
    v: f32,
}

/// The box, in cells, and how fast what is used up comes and goes.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Medium {
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    pub feed: f32,
    pub kill: f32,
}

impl Medium {
    /// A cube with so many cells a side, in which spots divide.
    pub fn cube(side: u32) -> Medium {
        Medium {
            width: side,
            height: side,
            depth: side,
            feed: 0.03,
            kill: 0.062,
        }
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.width as usize * self.height as usize * self.depth as usize
    }

    /// The first substance everywhere, and a block of the second in the middle.
    pub fn start(&self) -> Vec<Cell> {
        let far = |at: u32, side: u32| at.abs_diff(side / 2) > side / 10;
        let cell = |number: usize| {
            let (x, rest) = (number as u32 % self.width, number as u32 / self.width);
            let (y, z) = (rest % self.height, rest / self.height);
            match far(x, self.width) || far(y, self.height) || far(z, self.depth) {
                true => Cell { u: 1.0, v: 0.0 },
                false => Cell {
                    u: 0.5,
                    v: 0.25 + (number % 7) as f32 * 0.02,
                },
            }
        };
        (0..self.cells()).map(cell).collect()
    }
}

/// One step of a cell. Nothing goes through the walls.
#[routine]
fn react(me: &mut Cell, all: &[Cell], medium: Medium) {
    let Medium {
        width,
        height,
        depth,
        feed,
        kill,
    } = medium;
    let id = vm::id();
    let (x, y, z) = (id % width, id / width % height, id / (width * height));
    let plane = width * height;
    let left = all[if x == 0 { id } else { id - 1 } as usize];
    let right = all[if x + 1 == width { id } else { id + 1 } as usize];
    let front = all[if y == 0 { id } else { id - width } as usize];
    let back = all[if y + 1 == height { id } else { id + width } as usize];
    let below = all[if z == 0 { id } else { id - plane } as usize];
    let above = all[if z + 1 == depth { id } else { id + plane } as usize];
    let spread_u = left.u + right.u + front.u + back.u + below.u + above.u - 6.0 * me.u;
    let spread_v = left.v + right.v + front.v + back.v + below.v + above.v - 6.0 * me.v;
    let reacted = me.u * me.v * me.v;
    me.u += 0.12 * spread_u - reacted + feed * (1.0 - me.u);
    me.v += 0.06 * spread_v + reacted - (feed + kill) * me.v;
}

/// A pixel of the plane in the middle: how much there is of the second substance, as a byte.
#[routine]
fn section(all: &[Cell], medium: Medium) -> u8 {
    let plane = medium.width * medium.height;
    let v = all[(medium.depth / 2 * plane + vm::id()) as usize].v;
    (v * 600.0).clamp(0.0, 255.0) as u8
}

/// What goes on in the box, on all devices of a runtime.
pub struct Reaction {
    medium: Medium,
    cells: Buffer<Cell>,
    /// Steps that have been made.
    pub steps: u32,
}

impl Reaction {
    /// It as it begins.
    pub fn new(runtime: &Runtime, medium: Medium) -> Result<Reaction> {
        Ok(Reaction {
            cells: runtime.buffer(&medium.start())?,
            medium,
            steps: 0,
        })
    }

    /// So many steps.
    pub fn advance(&mut self, runtime: &Runtime, steps: u32) -> Result<()> {
        let launch = runtime.launch("react")?.steps(steps);
        launch.args((&self.cells, &self.cells, self.medium)).run()?;
        self.steps += steps;
        Ok(())
    }

    /// The plane in the middle, a byte for each pixel.
    pub fn section(&self, runtime: &Runtime) -> Result<Vec<u8>> {
        let pixels = self.medium.width as usize * self.medium.height as usize;
        let launch = runtime.launch("section")?.vms(pixels);
        launch.args((&self.cells, self.medium)).run()?.output()
    }

    /// Everything, as bytes that [`restored`](Reaction::restored) takes.
    pub fn saved(&self) -> Result<Vec<u8>> {
        let head = [self.steps, self.medium.width, self.medium.height, self.medium.depth];
        let numbers = [self.medium.feed, self.medium.kill].map(f32::to_bits);
        let cells = self.cells.read()?;
        let words = cells.iter().flat_map(|cell| [cell.u.to_bits(), cell.v.to_bits()]);
        Ok(head
            .into_iter()
            .chain(numbers)
            .chain(words)
            .flat_map(u32::to_le_bytes)
            .collect())
    }

    /// What was saved; `None` if it is something else.
    pub fn restored(runtime: &Runtime, bytes: &[u8]) -> Result<Option<Reaction>> {
        let (words, []) = bytes.as_chunks::<4>() else {
            return Ok(None);
        };
        let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
        let head: Vec<u32> = words.by_ref().take(6).collect();
        let [steps, width, height, depth, feed, kill] = head[..] else {
            return Ok(None);
        };
        let [feed, kill] = [feed, kill].map(f32::from_bits);
        let medium = Medium {
            width,
            height,
            depth,
            feed,
            kill,
        };
        let mut cells = Vec::new();
        while let (Some(u), Some(v)) = (words.next(), words.next()) {
            let [u, v] = [u, v].map(f32::from_bits);
            cells.push(Cell { u, v });
        }
        if cells.len() != medium.cells() {
            return Ok(None);
        }
        let cells = runtime.buffer(&cells)?;
        Ok(Some(Reaction { medium, cells, steps }))
    }

    /// Pixels a side of its [section](Reaction::section).
    pub fn size(&self) -> (u32, u32) {
        (self.medium.width, self.medium.height)
    }
}
