//! A linear congruential generator, stepped. gpuvm would replace the loop by a power of its matrix; here that is switched off, because
//! stepping is what the others do and what is to be measured. The ladder has both.

use anyhow::Result;
use cubecl::prelude::*;
use gpuvm_workloads::Workload as _;
use gpuvm_workloads::lcg::Generators;

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::arg;
use crate::peers::wgsl::Job;
use crate::stage::Stage;

const WGSL: &str = "
@group(0) @binding(0) var<uniform> settings: vec4<u32>; // count, steps
@group(0) @binding(1) var<storage, read> seeds: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= settings.x { return; }
    var state = seeds[id.x];
    for (var i = 0u; i < settings.y; i += 1u) {
        state = state * 1664525u + 1013904223u;
    }
    results[id.x] = state;
}
";

#[cube(launch_unchecked)]
fn lcg_cube(seeds: &[u32], results: &mut [u32], steps: u32) {
    if ABSOLUTE_POS < results.len() {
        let mut state = seeds[ABSOLUTE_POS];
        for _ in 0..steps {
            state = state * 1664525u32 + 1013904223u32;
        }
        results[ABSOLUTE_POS] = state;
    }
}

/// Runs the contest.
///
/// # Errors
///
/// When buffers cannot be made.
pub fn run(stage: &Stage) -> Result<Outcome> {
    let workload = Generators::from(stage.size);
    let (seeds, steps) = (&workload.seeds, workload.steps);
    let count = seeds.len() as u32;
    let groups = count.div_ceil(64);
    let mut contest = Contest::of(stage, &workload, Tolerance::Exact);
    let (bytes, uniform) = (bytemuck::cast_slice(seeds), [count, steps, 0, 0]);
    contest.wgsl(Job {
        source: WGSL,
        uniform: bytemuck::bytes_of(&uniform),
        inputs: &[bytes],
        output: seeds.len() * 4,
        groups: [groups, 1],
    });
    #[allow(unsafe_code)]
    contest.cube(&[bytes], |client, inputs, output| {
        let (seeds, results) = (arg(&inputs[0], count as usize), arg(output, count as usize));
        let cubes = CubeCount::Static(groups, 1, 1);
        // SAFETY: the kernel indexes only what it found to be within `results`, and `seeds` is as long.
        unsafe { lcg_cube::launch_unchecked(client, cubes, CubeDim::new_1d(64), seeds, results, steps) }
    });
    let runtime = &stage.loops;
    let (resident, left) = (runtime.buffer(seeds)?, runtime.buffer(&vec![0u32; seeds.len()])?);
    contest.gpuvm(
        runtime,
        &Routines {
            returning: "lcg",
            leaving: "lcg_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((&resident, steps, &left)),
        &left,
    );
    contest.cuda();
    Ok(contest.finish())
}
