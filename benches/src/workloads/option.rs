//! A European call option by Monte Carlo: Philox4x32-10 gives random words, Box-Muller makes them normal, and each path's payoff is
//! added up.
//!
//! gpuvm's logarithm, sine, cosine and exponential are its own, everywhere with the same bits; rayon's are std's, the shaders' are the
//! device's. Those sums are near the judge's. The judge is near the truth: the formula of Black and Scholes is asked too.

use std::f32::consts::TAU;

use anyhow::{Result, ensure};
use cubecl::prelude::*;
use gpuvm_workloads::Workload as _;
use gpuvm_workloads::option::{KEY, Market, NEAR, SPOT, STRIKE, philox, uniform};
use rayon::prelude::*;

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::arg;
use crate::peers::wgsl::Job;
use crate::stage::Stage;

/// The same with std's functions, as one writes it for rayon.
fn paths_std(me: u32, blocks: u32, drift: f32, spread: f32) -> f32 {
    let pay = |a: u32, b: u32| {
        let radius = (-2.0 * uniform(a).ln()).sqrt();
        let (sin, cos) = (TAU * uniform(b)).sin_cos();
        let price = |normal: f32| SPOT * (drift + spread * normal).exp();
        (price(radius * cos) - STRIKE).max(0.0) + (price(radius * sin) - STRIKE).max(0.0)
    };
    let blocks = (0..blocks).map(|block| philox([block, me, 0, 0], KEY));
    blocks.fold(0.0, |sum, [a, b, c, d]| sum + pay(a, b) + pay(c, d))
}

const WGSL: &str = "
struct Settings { count: u32, blocks: u32, drift: f32, spread: f32 }
@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

fn philox(block: u32, me: u32) -> vec4<u32> {
    var c = vec4(block, me, 0u, 0u);
    var k = vec2(0x12345678u, 0x9abcdef0u);
    for (var i = 0u; i < 10u; i += 1u) {
        let x = wide(c.x, 0xd2511f53u);
        let y = wide(c.z, 0xcd9e8d57u);
        c = vec4(y.y ^ c.y ^ k.x, y.x, x.y ^ c.w ^ k.y, x.x);
        k += vec2(0x9e3779b9u, 0xbb67ae85u);
    }
    return c;
}

fn uniform_of(word: u32) -> f32 {
    return f32(word >> 8u) * 0x1p-24 + 0x1p-25;
}

fn payoff(a: u32, b: u32) -> f32 {
    let radius = sqrt(-2.0 * log(uniform_of(a)));
    let angle = 6.28318530717958647692 * uniform_of(b);
    let normals = radius * vec2(cos(angle), sin(angle));
    let prices = 100.0 * exp(settings.drift + settings.spread * normals);
    let payoffs = max(prices - 100.0, vec2(0.0));
    return payoffs.x + payoffs.y;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= settings.count { return; }
    var sum = 0.0;
    for (var block = 0u; block < settings.blocks; block += 1u) {
        let words = philox(block, id.x);
        sum += payoff(words.x, words.y);
        sum += payoff(words.z, words.w);
    }
    sums[id.x] = sum;
}
";

/// The product of two words, low word first: with 64-bit integers where the device has them.
const WIDE_64: &str = "
fn wide(a: u32, b: u32) -> vec2<u32> {
    let product = u64(a) * u64(b);
    return vec2(u32(product), u32(product >> 32u));
}
";
/// The same, by halves.
const WIDE_32: &str = "
fn wide(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu; let ah = a >> 16u;
    let bl = b & 0xffffu; let bh = b >> 16u;
    let low = al * bl;
    let middle = ah * bl + (low >> 16u);
    let other = al * bh + (middle & 0xffffu);
    return vec2(a * b, ah * bh + (middle >> 16u) + (other >> 16u));
}
";

#[cube]
fn payoff_cube(a: u32, b: u32, drift: f32, spread: f32) -> f32 {
    let first = f32::cast_from(a >> 8u32) * 5.960_464_5e-8_f32 + 2.980_232_2e-8_f32;
    let second = f32::cast_from(b >> 8u32) * 5.960_464_5e-8_f32 + 2.980_232_2e-8_f32;
    let radius = (-2.0f32 * first.ln()).sqrt();
    let angle = 6.2831855f32 * second;
    let up = 100.0f32 * (drift + spread * (radius * angle.cos())).exp();
    let down = 100.0f32 * (drift + spread * (radius * angle.sin())).exp();
    max(up - 100.0f32, 0.0f32) + max(down - 100.0f32, 0.0f32)
}

#[cube(launch_unchecked)]
fn option_cube(sums: &mut [f32], blocks: u32, drift: f32, spread: f32) {
    if ABSOLUTE_POS < sums.len() {
        let mut sum = 0.0f32;
        for block in 0..blocks {
            let mut a = block;
            let mut b = ABSOLUTE_POS as u32;
            let mut c = 0u32;
            let mut d = 0u32;
            let mut k = 0x1234_5678u32;
            let mut l = 0x9abc_def0u32;
            for _ in 0..10u32 {
                let high = a.mul_hi(0xd251_1f53u32);
                let low = a * 0xd251_1f53u32;
                a = c.mul_hi(0xcd9e_8d57u32) ^ b ^ k;
                b = c * 0xcd9e_8d57u32;
                c = high ^ d ^ l;
                d = low;
                k += 0x9e37_79b9u32;
                l += 0xbb67_ae85u32;
            }
            sum += payoff_cube(a, b, drift, spread);
            sum += payoff_cube(c, d, drift, spread);
        }
        sums[ABSOLUTE_POS] = sum;
    }
}

/// Runs the contest.
///
/// # Errors
///
/// When buffers cannot be made, or the judge's price is wrong.
pub fn run(stage: &Stage) -> Result<Outcome> {
    let workload = Market::from(stage.size);
    let Market {
        vms: count,
        blocks,
        drift,
        spread,
    } = workload;
    let (entries, groups) = (count as usize, count.div_ceil(64));
    let judge = workload.native();
    ensure!(
        workload.distance(&judge) < 1.0,
        "the judge's price is not the formula's"
    );
    let mut contest = Contest::new(stage, "option", workload.amount(), judge, Tolerance::Relative(NEAR));
    contest.rayon(|| {
        let sum = |me| paths_std(me, blocks, drift, spread);
        (0..count).into_par_iter().map(sum).collect()
    });
    let wide = if stage.gpu.has_int64() { WIDE_64 } else { WIDE_32 };
    let source = [wide, WGSL].concat();
    let uniform = [count, blocks, drift.to_bits(), spread.to_bits()];
    contest.wgsl(Job {
        source: &source,
        uniform: bytemuck::bytes_of(&uniform),
        inputs: &[],
        output: entries * 4,
        groups: [groups, 1],
    });
    #[allow(unsafe_code)]
    contest.cube(&[], |client, _, output| {
        let (cubes, sums) = (CubeCount::Static(groups, 1, 1), arg(output, entries));
        // SAFETY: the kernel indexes only what it found to be within `sums`.
        unsafe { option_cube::launch_unchecked(client, cubes, CubeDim::new_1d(64), sums, blocks, drift, spread) }
    });
    let runtime = &stage.runtime;
    let left = runtime.buffer(&vec![0f32; entries])?;
    contest.gpuvm(
        runtime,
        &Routines {
            returning: "option",
            leaving: "option_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((blocks, drift, spread, &left)),
        &left,
    );
    contest.gpuvm_relaxed(
        runtime,
        &Routines {
            returning: "option_relaxed",
            leaving: "option_relaxed_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((blocks, drift, spread, &left)),
        &left,
    );
    contest.cuda();
    Ok(contest.finish())
}
