//! Actors that read a table of the program's data.

use gpuvm::prelude::*;
use pollster::block_on;

use super::{ENGINES, active, actors};

const STEPS: [u32; 40] = {
    let mut steps = [0; 40];
    let mut i = 0;
    while i < 40 {
        steps[i] = (i as u32 * 17 + 3) % 40;
        i += 1;
    }
    steps
};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Walk {
    steps: u32,
}

#[ring_kernel(id = "walker")]
fn walker(at: &mut u32, walk: Walk) -> Walk {
    for _ in 0..walk.steps {
        *at = STEPS[(*at % 40) as usize];
    }
    Walk { steps: *at }
}

#[test]
fn actors_read_tables() {
    for engine in ENGINES {
        let kernel = active("walker", engine, actors(3));
        let mut at = 0u32;
        for steps in [1, 5, 0, 64] {
            at = (0..steps).fold(at, |at, _| STEPS[at as usize]);
            let answer: Walk = block_on(kernel.call(1, Walk { steps })).unwrap();
            assert_eq!(answer.steps, at, "{engine:?}");
        }
        kernel.blocking_terminate().unwrap();
    }
}
