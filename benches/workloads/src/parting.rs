//! Two loops, of which each VM runs the first another number of times and all run the second as often: where those that leave the first at different
//! times do not come together again, the second takes a device as many times as long as a subgroup has VMs.

use gpuvm::{Launch, routine};
use rayon::prelude::*;

use crate::collatz::collatz;
use crate::{Argument, Size, Workload};

/// A generator that begins with the steps from `start` to 1 in Collatz's sequence, after so many turns.
#[routine]
pub fn parting(start: u32, turns: u32) -> u32 {
    let mut x = collatz(start);
    let mut turn = 0;
    while turn < turns {
        x = (x ^ (x >> 7)).wrapping_mul(0x9e37_79b9) ^ turn;
        turn += 1;
    }
    x
}

/// Where sequences start, and how many turns the generators make.
pub struct Parting {
    /// The starts.
    pub starts: Vec<u32>,
    /// The turns.
    pub turns: u32,
}

impl From<Size> for Parting {
    fn from(size: Size) -> Parting {
        let (count, turns): (u32, u32) = size.pick((1 << 10, 100), (1 << 20, 1000));
        Parting {
            // Of 24 bits, scattered and odd.
            starts: (0..count).map(|i| (i.wrapping_mul(0x9e37_79b9) | 1) >> 8 | 1).collect(),
            turns,
        }
    }
}

impl Workload for Parting {
    type Output = u32;

    const RETURNING: &'static str = "parting";

    fn amount(&self) -> String {
        let Parting { starts, turns } = self;
        format!(
            "loops of different lengths and one of {turns} turns, {} VMs",
            starts.len()
        )
    }

    fn native(&self) -> Vec<u32> {
        self.starts
            .par_iter()
            .map(|start| parting(*start, self.turns))
            .collect()
    }

    fn launched<'l>(&'l self, launch: Launch<'l>) -> Launch<'l> {
        launch.args((&self.starts, self.turns))
    }

    fn arguments(&self) -> Vec<Argument> {
        vec![Argument::Column, Argument::Value(vec![self.turns])]
    }
}
