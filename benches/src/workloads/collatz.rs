//! Collatz: how many steps each of 2²⁰ starts takes to 1. A sequence that would leave 32 bits stops there.

use anyhow::Result;
use cubecl::prelude::*;
use gpuvm_workloads::Workload as _;
use gpuvm_workloads::collatz::Starts;

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::arg;
use crate::peers::wgsl::Job;
use crate::stage::Stage;

const WGSL: &str = "
@group(0) @binding(0) var<uniform> count: vec4<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= count.x { return; }
    var n = starts[id.x];
    var steps = 0u;
    while n > 1u {
        if (n & 1u) == 0u {
            n >>= 1u;
        } else if n > 1431655764u {
            break;
        } else {
            n = 3u * n + 1u;
        }
        steps += 1u;
    }
    results[id.x] = steps;
}
";

#[cube(launch_unchecked)]
fn collatz_cube(starts: &[u32], results: &mut [u32]) {
    if ABSOLUTE_POS < results.len() {
        let mut n = starts[ABSOLUTE_POS];
        let mut steps = 0u32;
        while n > 1u32 {
            if n & 1u32 == 0u32 {
                n >>= 1u32;
            } else if n > 1431655764u32 {
                break;
            } else {
                n = 3u32 * n + 1u32;
            }
            steps += 1u32;
        }
        results[ABSOLUTE_POS] = steps;
    }
}

/// Runs the contest.
///
/// # Errors
///
/// When buffers cannot be made.
pub fn run(stage: &Stage) -> Result<Outcome> {
    let workload = Starts::from(stage.size);
    let starts = &workload.0;
    let count = starts.len() as u32;
    let groups = count.div_ceil(64);
    let mut contest = Contest::of(stage, &workload, Tolerance::Exact);
    let (bytes, uniform) = (bytemuck::cast_slice(starts), [count, 0, 0, 0]);
    contest.wgsl(Job {
        source: WGSL,
        uniform: bytemuck::bytes_of(&uniform),
        inputs: &[bytes],
        output: starts.len() * 4,
        groups: [groups, 1],
    });
    #[allow(unsafe_code)]
    contest.cube(&[bytes], |client, inputs, output| {
        let (starts, results) = (arg(&inputs[0], count as usize), arg(output, count as usize));
        let cubes = CubeCount::Static(groups, 1, 1);
        // SAFETY: the kernel indexes only what it found to be within `results`, and `starts` is as long.
        unsafe { collatz_cube::launch_unchecked(client, cubes, CubeDim::new_1d(64), starts, results) }
    });
    let runtime = &stage.runtime;
    let (resident, left) = (runtime.buffer(starts)?, runtime.buffer(&vec![0u32; starts.len()])?);
    contest.gpuvm(
        runtime,
        &Routines {
            returning: "collatz",
            leaving: "collatz_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((&resident, &left)),
        &left,
    );
    contest.cuda();
    Ok(contest.finish())
}
