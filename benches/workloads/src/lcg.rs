//! A linear congruential generator, stepped. gpuvm would replace the loop by a power of its matrix; here that is switched off, because
//! stepping is what the others do and what is to be measured. The ladder has both.

use gpuvm::{Launch, routine};
use rayon::prelude::*;

use crate::{Argument, Size, Workload};

/// The generator's state after `steps` steps from `seed`.
#[routine]
pub fn lcg(seed: u32, steps: u32) -> u32 {
    let mut state = seed;
    for _ in 0..steps {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    state
}

/// The same, left in a buffer.
#[routine]
pub fn lcg_into(seed: u32, steps: u32, state: &mut u32) {
    *state = lcg(seed, steps);
}

/// Generators, and how far each is stepped.
pub struct Generators {
    /// Their seeds.
    pub seeds: Vec<u32>,
    /// The steps.
    pub steps: u32,
}

impl From<Size> for Generators {
    fn from(size: Size) -> Generators {
        let (count, steps): (u32, u32) = size.pick((1 << 12, 1000), (1 << 20, 10_000));
        Generators {
            seeds: (0..count).map(|i| i.wrapping_mul(0x9e37_79b9)).collect(),
            steps,
        }
    }
}

impl Workload for Generators {
    type Output = u32;

    const RETURNING: &'static str = "lcg";

    fn amount(&self) -> String {
        format!("{} generators, {} steps", self.seeds.len(), self.steps)
    }

    fn native(&self) -> Vec<u32> {
        self.seeds.par_iter().map(|seed| lcg(*seed, self.steps)).collect()
    }

    fn launched<'l>(&'l self, launch: Launch<'l>) -> Launch<'l> {
        launch.args((&self.seeds, self.steps))
    }

    fn arguments(&self) -> Vec<Argument> {
        vec![Argument::Column, Argument::Value(vec![self.steps])]
    }
}
