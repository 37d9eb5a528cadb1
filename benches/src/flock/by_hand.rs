//! The flock for rayon, as one would write it without gpuvm: boids are sorted by cell in each step, by counting, and steer by slices of
//! that order. Counters are atomics, and nothing but the first step takes memory.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::boids::{ALONG, AWAY, Boid, CELL_BITS, FASTEST, HOME, NEAR, SIGHT, SLOWEST, TOWARDS};

/// A square world of cells with an empty border.
pub struct World {
    side: usize,
    /// How many boids are in each cell and those before, one place further than the cell.
    starts: Vec<AtomicU32>,
    numbers: Vec<u32>,
    order: Vec<AtomicU32>,
    sorted: Vec<Boid>,
}

/// What a boid sees around it.
#[derive(Clone, Copy, Default)]
struct Seen {
    count: i32,
    offset: [i32; 2],
    velocity: [i32; 2],
    away: [i32; 2],
}

impl World {
    /// A world of `side` × `side` cells.
    pub fn new(side: u32) -> World {
        let side = side as usize;
        let cells = (side + 2) * (side + 2);
        World {
            side,
            starts: (0..=cells).map(|_| AtomicU32::new(0)).collect(),
            numbers: Vec::new(),
            order: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Moves a flock by a step.
    pub fn step(&mut self, flock: &mut Vec<Boid>) {
        self.sort(flock);
        let world = &*self;
        self.sorted
            .par_iter()
            .map(|boid| world.moved(boid))
            .collect_into_vec(flock);
    }

    /// Sorts a flock by cell.
    fn sort(&mut self, flock: &[Boid]) {
        let (side, starts) = (self.side, &mut self.starts);
        starts.iter_mut().for_each(|start| *start.get_mut() = 0);
        let numbers = flock
            .par_iter()
            .map(|boid| starts[cell_of(boid, side) + 1].fetch_add(1, Ordering::Relaxed));
        numbers.collect_into_vec(&mut self.numbers);
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start.get_mut();
            *start.get_mut() = sum;
        }
        self.order.resize_with(flock.len(), AtomicU32::default);
        let starts = &self.starts;
        flock
            .par_iter()
            .zip(&self.numbers)
            .enumerate()
            .for_each(|(index, (boid, number))| {
                let place = starts[cell_of(boid, side)].load(Ordering::Relaxed) + number;
                self.order[place as usize].store(index as u32, Ordering::Relaxed);
            });
        let order = self.order.par_iter_mut();
        order
            .map(|index| flock[*index.get_mut() as usize])
            .collect_into_vec(&mut self.sorted);
    }

    /// The boids of a cell and of its neighbours to the left and right.
    fn row(&self, cell: usize) -> &[Boid] {
        let start = |cell: usize| self.starts[cell].load(Ordering::Relaxed) as usize;
        &self.sorted[start(cell - 1)..start(cell + 2)]
    }

    /// A boid one step later.
    fn moved(&self, me: &Boid) -> Boid {
        let (cell, width) = (cell_of(me, self.side), self.side + 2);
        let rows = [cell - width, cell, cell + width];
        let seen = rows
            .iter()
            .flat_map(|row| self.row(*row))
            .fold(Seen::default(), |seen, other| seen.with(me, other));
        let share = 1.0 / seen.count as f32;
        let home = self.homewards(me);
        let [vx, vy] = [(0, me.vx), (1, me.vy)].map(|(axis, old)| {
            let old = old as f32;
            let towards = TOWARDS * share * seen.offset[axis] as f32;
            let along = ALONG * (share * seen.velocity[axis] as f32 - old);
            old + towards + along + AWAY * seen.away[axis] as f32 + home[axis]
        });
        let speed = (vx * vx + vy * vy).sqrt().max(1.0);
        let scale = speed.clamp(SLOWEST, FASTEST) / speed;
        let (vx, vy) = ((scale * vx) as i32, (scale * vy) as i32);
        let last = self.side as i32 * SIGHT - 1;
        let (x, y) = ((me.x + vx).clamp(0, last), (me.y + vy).clamp(0, last));
        Boid { x, y, vx, vy }
    }

    fn homewards(&self, me: &Boid) -> [f32; 2] {
        let half = self.side as i32 * SIGHT / 2;
        let [x, y] = [half - me.x, half - me.y].map(|way| way as f32);
        let distance = (x * x + y * y).sqrt().max(1.0);
        let pull = HOME * (distance / half as f32 - 0.6).max(0.0) / distance;
        [pull * x, pull * y]
    }
}

fn cell_of(boid: &Boid, side: usize) -> usize {
    let (column, row) = ((boid.x >> CELL_BITS) as usize, (boid.y >> CELL_BITS) as usize);
    (row + 1) * (side + 2) + column + 1
}

impl Seen {
    fn with(mut self, me: &Boid, other: &Boid) -> Seen {
        let (dx, dy) = (other.x - me.x, other.y - me.y);
        let distance = dx * dx + dy * dy;
        if distance < SIGHT * SIGHT {
            self.count += 1;
            self.offset = [self.offset[0] + dx, self.offset[1] + dy];
            self.velocity = [self.velocity[0] + other.vx, self.velocity[1] + other.vy];
        }
        if distance < NEAR * NEAR {
            let push = (NEAR * NEAR - distance) >> 20;
            self.away = [self.away[0] - push * dx, self.away[1] - push * dy];
        }
        self
    }
}
