//! Angles in turns as a quarter and a rest.

use gpuvm::prelude::*;

/// An angle in turns as a quarter and the rest, an eighth of a turn at most.
#[derive(VmType, Debug, Default)]
pub struct Reduction {
    pub quarter: u32,
    pub rest: f64,
    taken: u32,
}

#[routine]
impl Reduction {
    pub fn take(&mut self, turns: f64) {
        let whole = f64::round(turns * 4.0);
        self.quarter = whole.rem_euclid(4.0) as u32;
        self.rest = turns - whole / 4.0;
        self.taken += 1;
    }

    pub fn is_nan(&self) -> bool {
        self.rest.is_nan() || self.taken == 0
    }
}

/// How often the reduction was asked, for tests of its users.
#[routine]
pub fn times(reduction: &Reduction) -> u32 {
    reduction.taken
}
