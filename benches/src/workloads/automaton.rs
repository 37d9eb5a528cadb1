//! A branchy automaton: 16 states with an action and a transition each, driven by a xorshift generator, so that neighbours are hardly
//! ever in the same state.

use anyhow::Result;
use cubecl::prelude::*;
use gpuvm::routine;
use rayon::prelude::*;

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::{arg, rotated};
use crate::peers::wgsl::Job;
use crate::stage::Stage;

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
fn automaton_into(seed: u32, steps: u32, sum: &mut u32) {
    *sum = automaton(seed, steps);
}

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
    let (count, steps): (u32, u32) = stage.pick((1 << 12, 100), (1 << 20, 1000));
    let groups = count.div_ceil(64);
    let seeds: Vec<u32> = (1..=count).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let native = || seeds.par_iter().map(|seed| automaton(*seed, steps)).collect();
    let amount = format!("{count} automata, {steps} steps");
    let mut contest = Contest::new(stage, "automaton", amount, native(), Tolerance::Exact);
    contest.rayon(native);
    let (bytes, uniform) = (bytemuck::cast_slice(&seeds), [count, steps, 0, 0]);
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
    let (resident, left) = (runtime.buffer(&seeds)?, runtime.buffer(&vec![0u32; seeds.len()])?);
    contest.gpuvm(
        runtime,
        &Routines {
            returning: "automaton",
            leaving: "automaton_into",
        },
        |launch| launch.args((&seeds, steps)),
        |launch| launch.args((&resident, steps, &left)),
        &left,
    );
    Ok(contest.finish())
}
