//! A European call option by Monte Carlo: Philox4x32-10 gives random words, Box-Muller makes them normal, and each path's payoff is
//! added up.
//!
//! gpuvm's logarithm, sine, cosine and exponential are its own, everywhere with the same bits; rayon's are std's, the shaders' are the
//! device's. Those sums are near the judge's. The judge is near the truth: the formula of Black and Scholes is asked too.

use std::f32::consts::TAU;

use anyhow::{Result, ensure};
use cubecl::prelude::*;
use gpuvm::{routine, vm};
use rayon::prelude::*;

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::arg;
use crate::peers::wgsl::Job;
use crate::stage::Stage;

/// Price today, strike price, interest, volatility, years.
const SPOT: f32 = 100.0;
const STRIKE: f32 = 100.0;
const INTEREST: f32 = 0.05;
const VOLATILITY: f32 = 0.2;
const YEARS: f32 = 1.0;
/// What the formula of Black and Scholes gives for these.
const PRICE: f64 = 10.4506;
/// The generator's key.
const KEY: [u32; 2] = [0x1234_5678, 0x9abc_def0];
/// How far off a VM's sum may be where floats are not exact.
const NEAR: f32 = 1e-3;
/// The distance of two uniform numbers.
const ULP: f32 = 1.0 / (1 << 24) as f32;

/// Four random words: Philox4x32 with ten rounds (Salmon et al., 2011).
#[routine]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut k, mut l] = key;
    for _ in 0..10 {
        let (x, y) = (a as u64 * 0xd251_1f53, c as u64 * 0xcd9e_8d57);
        (a, b, c, d) = ((y >> 32) as u32 ^ b ^ k, y as u32, (x >> 32) as u32 ^ d ^ l, x as u32);
        k = k.wrapping_add(0x9e37_79b9);
        l = l.wrapping_add(0xbb67_ae85);
    }
    [a, b, c, d]
}

/// A number between 0 and 1, without 0.
#[routine]
pub fn uniform(word: u32) -> f32 {
    (word >> 8) as f32 * ULP + 0.5 * ULP
}

/// What two paths pay.
#[routine]
pub fn payoff(a: u32, b: u32, drift: f32, spread: f32) -> f32 {
    let radius = (-2.0 * uniform(a).ln()).sqrt();
    let angle = TAU * uniform(b);
    let up = SPOT * (drift + spread * (radius * angle.cos())).exp();
    let down = SPOT * (drift + spread * (radius * angle.sin())).exp();
    (up - STRIKE).max(0.0) + (down - STRIKE).max(0.0)
}

/// What four paths a block pay, added up over one VM's blocks.
#[routine]
pub fn paths(me: u32, blocks: u32, drift: f32, spread: f32) -> f32 {
    let mut sum = 0.0f32;
    for block in 0..blocks {
        let [a, b, c, d] = philox([block, me, 0, 0], KEY);
        sum += payoff(a, b, drift, spread);
        sum += payoff(c, d, drift, spread);
    }
    sum
}

/// One VM's sum.
#[routine]
pub fn option(blocks: u32, drift: f32, spread: f32) -> f32 {
    paths(vm::id(), blocks, drift, spread)
}

/// The same, left in a buffer.
#[routine]
fn option_into(blocks: u32, drift: f32, spread: f32, sum: &mut f32) {
    *sum = paths(vm::id(), blocks, drift, spread);
}

/// The same with floats as the device likes them.
#[routine(relaxed)]
pub fn option_relaxed(blocks: u32, drift: f32, spread: f32) -> f32 {
    paths(vm::id(), blocks, drift, spread)
}

/// The same, left in a buffer.
#[routine(relaxed)]
fn option_relaxed_into(blocks: u32, drift: f32, spread: f32, sum: &mut f32) {
    *sum = paths(vm::id(), blocks, drift, spread);
}

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
    let (count, blocks): (u32, u32) = stage.pick((1 << 12, 8), (1 << 18, 64));
    let (entries, groups) = (count as usize, count.div_ceil(64));
    let drift = (INTEREST - 0.5 * VOLATILITY * VOLATILITY) * YEARS;
    let spread = VOLATILITY * YEARS.sqrt();
    let sum = |me| paths(me, blocks, drift, spread);
    let judge: Vec<f32> = (0..count).into_par_iter().map(sum).collect();
    let walks = f64::from(count) * f64::from(blocks) * 4.0;
    let mean = judge.iter().map(|sum| f64::from(*sum)).sum::<f64>() / walks;
    let price = mean * f64::from(-INTEREST * YEARS).exp();
    // A path's payoff has a standard deviation below 16.
    ensure!(
        (price - PRICE).abs() < 5.0 * 16.0 / walks.sqrt(),
        "the judge's price is {price}"
    );
    let amount = format!("{walks} paths");
    let mut contest = Contest::new(stage, "option", amount, judge, Tolerance::Relative(NEAR));
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
        |launch| launch.args((blocks, drift, spread)).vms(entries),
        |launch| launch.args((blocks, drift, spread, &left)),
        &left,
    );
    contest.gpuvm_relaxed(
        runtime,
        &Routines {
            returning: "option_relaxed",
            leaving: "option_relaxed_into",
        },
        |launch| launch.args((blocks, drift, spread)).vms(entries),
        |launch| launch.args((blocks, drift, spread, &left)),
        &left,
    );
    Ok(contest.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the generator's own known-answer file.
    #[test]
    fn philox_gives_its_known_answers() {
        assert_eq!(
            philox([0; 4], [0; 2]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }
}
