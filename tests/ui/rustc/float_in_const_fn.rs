//! A float's method in a `const fn`, where the crate has one of the same name.

use gpuvm::prelude::*;

#[derive(Clone, Copy, VmType)]
struct Level {
    steps: u32,
    gain: f32,
}

#[routine]
impl Level {
    const fn max(self, other: Level) -> Level {
        if self.steps > other.steps { self } else { other }
    }

    const fn at_least_one(self) -> f32 {
        self.gain.max(1.0)
//~ «max» a `const fn` does not tell this method of `f32` from the one that the crate defines of the same name … of `f32`, while the crate has a `const fn` of this name … write it by its path, as in `f32::max(x, y)`
    }

    const fn louder(self, other: Level) -> Level {
        self.max(other)
    }

    const fn by_path(self) -> f32 {
        f32::max(self.gain, 1.0)
    }
}

fn main() {}
