//! A branchy automaton: 16 states with an action and a transition each, driven by a xorshift generator, so that neighbours are hardly
//! ever in the same state.

use gpuvm::{Launch, routine};
use rayon::prelude::*;

use crate::{Argument, Size, Workload};

/// What the automaton has gathered after `steps` steps from `seed`, which is not 0.
#[routine]
pub fn automaton(seed: u32, steps: u32) -> u32 {
    let mut x = seed;
    let mut state = seed & 15;
    let mut sum = 0u32;
    for _ in 0..steps {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        match state {
            0 => {
                sum = sum.wrapping_add(x);
                state = if x & 1 == 0 { 1 } else { 7 };
            }
            1 => {
                sum ^= x >> 3;
                state = if x & 6 == 0 { 0 } else { 2 };
            }
            2 => {
                sum = sum.wrapping_mul(x | 1);
                state = if x < 0x4000_0000 { 9 } else { 3 };
            }
            3 => {
                sum = sum.rotate_left(7);
                state = x >> 28;
            }
            4 => {
                if sum & 1 == 0 {
                    sum /= 2;
                }
                state = 5;
            }
            5 => {
                sum = sum.wrapping_sub(x);
                state = if sum > x { 6 } else { 12 };
            }
            6 => {
                sum |= x & 0xff;
                state = if x & 16 == 0 { 11 } else { 4 };
            }
            7 => {
                sum = !sum;
                state = 8;
            }
            8 => {
                sum = sum.wrapping_add(x & 0xffff);
                state = if x % 3 == 1 { 13 } else { 2 };
            }
            9 => {
                sum ^= sum << 5;
                state = 10;
            }
            10 => {
                sum = sum.wrapping_mul(5).wrapping_add(1);
                state = if sum & 256 == 0 { 14 } else { 0 };
            }
            11 => {
                if x > sum {
                    sum = x;
                }
                state = 15;
            }
            12 => {
                sum = sum.wrapping_add(12);
                state = x & 15;
            }
            13 => {
                sum &= !(x & 0xf0f);
                state = if sum & 2 == 0 { 5 } else { 1 };
            }
            14 => {
                sum ^= x.wrapping_mul(0x9e37_79b9);
                state = 3;
            }
            _ => {
                sum = sum.wrapping_sub(1);
                state = if x & 4096 == 0 { 6 } else { 9 };
            }
        }
    }
    sum
}

/// The same, left in a buffer.
#[routine]
pub fn automaton_into(seed: u32, steps: u32, sum: &mut u32) {
    *sum = automaton(seed, steps);
}

/// Automata, and how many steps each makes.
pub struct Automata {
    /// The generators' seeds, none of them 0.
    pub seeds: Vec<u32>,
    /// The steps.
    pub steps: u32,
}

impl From<Size> for Automata {
    fn from(size: Size) -> Automata {
        let (count, steps): (u32, u32) = size.pick((1 << 12, 100), (1 << 20, 1000));
        Automata {
            seeds: (1..=count).map(|i| i.wrapping_mul(0x9e37_79b9)).collect(),
            steps,
        }
    }
}

impl Workload for Automata {
    type Output = u32;

    const RETURNING: &'static str = "automaton";

    fn amount(&self) -> String {
        format!("{} automata, {} steps", self.seeds.len(), self.steps)
    }

    fn native(&self) -> Vec<u32> {
        self.seeds.par_iter().map(|seed| automaton(*seed, self.steps)).collect()
    }

    fn launched<'l>(&'l self, launch: Launch<'l>) -> Launch<'l> {
        launch.args((&self.seeds, self.steps))
    }

    fn arguments(&self) -> Vec<Argument> {
        vec![Argument::Column, Argument::Value(vec![self.steps])]
    }
}
