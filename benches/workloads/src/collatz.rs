//! Collatz: how many steps each of 2²⁰ starts takes to 1. A sequence that would leave 32 bits stops there.

use gpuvm::{Launch, routine};
use rayon::prelude::*;

use crate::{Argument, Size, Workload};

/// The largest `n` for which `3 n + 1` has 32 bits.
const MOST: u32 = (u32::MAX - 1) / 3;

/// Steps from `start` to 1.
#[routine]
pub fn collatz(start: u32) -> u32 {
    let mut n = start;
    let mut steps = 0;
    while n > 1 {
        if n & 1 == 0 {
            n /= 2;
        } else if n > MOST {
            break;
        } else {
            n = 3 * n + 1;
        }
        steps += 1;
    }
    steps
}

/// The same, left in a buffer.
#[routine]
pub fn collatz_into(start: u32, steps: &mut u32) {
    *steps = collatz(start);
}

/// Where sequences start.
pub struct Starts(pub Vec<u32>);

impl From<Size> for Starts {
    fn from(size: Size) -> Starts {
        Starts((1..=size.pick(1 << 12, 1 << 20)).collect())
    }
}

impl Workload for Starts {
    type Output = u32;

    const RETURNING: &'static str = "collatz";

    fn amount(&self) -> String {
        format!("{} starts", self.0.len())
    }

    fn native(&self) -> Vec<u32> {
        self.0.par_iter().map(|start| collatz(*start)).collect()
    }

    fn launched<'l>(&'l self, launch: Launch<'l>) -> Launch<'l> {
        launch.args((&self.0,))
    }

    fn arguments(&self) -> Vec<Argument> {
        vec![Argument::Column]
    }
}
