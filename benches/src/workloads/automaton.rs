//! A branchy automaton: 16 states with an action and a transition each, driven by a xorshift generator, so that neighbours are hardly
//! ever in the same state.

use anyhow::Result;
use cubecl::prelude::*;
use gpuvm_workloads::Workload as _;
use gpuvm_workloads::automaton::Automata;

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::{arg, rotated};
use crate::peers::wgsl::Job;
use crate::stage::Stage;

const WGSL: &str = "
@group(0) @binding(0) var<uniform> settings: vec4<u32>; // count, steps
@group(0) @binding(1) var<storage, read> seeds: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= settings.x { return; }
    var x = seeds[id.x];
    var state = x & 15u;
    var sum = 0u;
    for (var i = 0u; i < settings.y; i += 1u) {
        x ^= x << 13u;
        x ^= x >> 17u;
        x ^= x << 5u;
        switch state {
            case 0u: { sum += x; state = select(7u, 1u, (x & 1u) == 0u); }
            case 1u: { sum ^= x >> 3u; state = select(2u, 0u, (x & 6u) == 0u); }
            case 2u: { sum *= x | 1u; state = select(3u, 9u, x < 0x40000000u); }
            case 3u: { sum = (sum << 7u) | (sum >> 25u); state = x >> 28u; }
            case 4u: { if (sum & 1u) == 0u { sum >>= 1u; } state = 5u; }
            case 5u: { sum -= x; state = select(12u, 6u, sum > x); }
            case 6u: { sum |= x & 0xffu; state = select(4u, 11u, (x & 16u) == 0u); }
            case 7u: { sum = ~sum; state = 8u; }
            case 8u: { sum += x & 0xffffu; state = select(2u, 13u, x % 3u == 1u); }
            case 9u: { sum ^= sum << 5u; state = 10u; }
            case 10u: { sum = sum * 5u + 1u; state = select(0u, 14u, (sum & 256u) == 0u); }
            case 11u: { sum = max(sum, x); state = 15u; }
            case 12u: { sum += 12u; state = x & 15u; }
            case 13u: { sum &= ~(x & 0xf0fu); state = select(1u, 5u, (sum & 2u) == 0u); }
            case 14u: { sum ^= x * 0x9e3779b9u; state = 3u; }
            default: { sum -= 1u; state = select(9u, 6u, (x & 4096u) == 0u); }
        }
    }
    results[id.x] = sum;
}
";

#[cube(launch_unchecked)]
fn automaton_cube(seeds: &[u32], results: &mut [u32], steps: u32) {
    if ABSOLUTE_POS < results.len() {
        let mut x = seeds[ABSOLUTE_POS];
        let mut state = x & 15u32;
        let mut sum = 0u32;
        for _ in 0..steps {
            x ^= x << 13u32;
            x ^= x >> 17u32;
            x ^= x << 5u32;
            match state {
                0 => {
                    sum += x;
                    state = select(x & 1u32 == 0u32, 1u32, 7u32);
                }
                1 => {
                    sum ^= x >> 3u32;
                    state = select(x & 6u32 == 0u32, 0u32, 2u32);
                }
                2 => {
                    sum *= x | 1u32;
                    state = select(x < 0x4000_0000u32, 9u32, 3u32);
                }
                3 => {
                    sum = rotated(sum, 25u32);
                    state = x >> 28u32;
                }
                4 => {
                    if sum & 1u32 == 0u32 {
                        sum >>= 1u32;
                    }
                    state = 5u32;
                }
                5 => {
                    sum -= x;
                    state = select(sum > x, 6u32, 12u32);
                }
                6 => {
                    sum |= x & 0xffu32;
                    state = select(x & 16u32 == 0u32, 11u32, 4u32);
                }
                7 => {
                    sum = !sum;
                    state = 8u32;
                }
                8 => {
                    sum += x & 0xffffu32;
                    state = select(x % 3u32 == 1u32, 13u32, 2u32);
                }
                9 => {
                    sum ^= sum << 5u32;
                    state = 10u32;
                }
                10 => {
                    sum = sum * 5u32 + 1u32;
                    state = select(sum & 256u32 == 0u32, 14u32, 0u32);
                }
                11 => {
                    sum = max(sum, x);
                    state = 15u32;
                }
                12 => {
                    sum += 12u32;
                    state = x & 15u32;
                }
                13 => {
                    sum &= !(x & 0xf0fu32);
                    state = select(sum & 2u32 == 0u32, 5u32, 1u32);
                }
                14 => {
                    sum ^= x * 0x9e37_79b9u32;
                    state = 3u32;
                }
                _ => {
                    sum -= 1u32;
                    state = select(x & 4096u32 == 0u32, 6u32, 9u32);
                }
            }
        }
        results[ABSOLUTE_POS] = sum;
    }
}

/// Runs the contest.
///
/// # Errors
///
/// When buffers cannot be made.
pub fn run(stage: &Stage) -> Result<Outcome> {
    let workload = Automata::from(stage.size);
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
        unsafe { automaton_cube::launch_unchecked(client, cubes, CubeDim::new_1d(64), seeds, results, steps) }
    });
    let runtime = &stage.runtime;
    let (resident, left) = (runtime.buffer(seeds)?, runtime.buffer(&vec![0u32; seeds.len()])?);
    contest.gpuvm(
        runtime,
        &Routines {
            returning: "automaton",
            leaving: "automaton_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((&resident, steps, &left)),
        &left,
    );
    contest.cuda();
    Ok(contest.finish())
}
