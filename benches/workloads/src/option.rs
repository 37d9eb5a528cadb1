//! A European call option by Monte Carlo: Philox4x32-10 gives random words, Box-Muller makes them normal, and each path's payoff is
//! added up.
//!
//! gpuvm's logarithm, sine, cosine and exponential are its own, everywhere with the same bits; rayon's are std's, the shaders' are the
//! device's. Those sums are near the judge's. The judge is near the truth: the formula of Black and Scholes is asked too.

use std::f32::consts::TAU;

use gpuvm::{Launch, routine, vm};
use rayon::prelude::*;

use crate::{Argument, Size, Workload};

/// Price today.
pub const SPOT: f32 = 100.0;
/// Strike price.
pub const STRIKE: f32 = 100.0;
/// Interest, volatility, years.
const INTEREST: f32 = 0.05;
const VOLATILITY: f32 = 0.2;
const YEARS: f32 = 1.0;
/// What the formula of Black and Scholes gives for these.
const PRICE: f64 = 10.4506;
/// The generator's key.
pub const KEY: [u32; 2] = [0x1234_5678, 0x9abc_def0];
/// How far off a VM's sum may be where floats are not exact.
pub const NEAR: f32 = 1e-3;
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
pub fn option_into(blocks: u32, drift: f32, spread: f32, sum: &mut f32) {
    *sum = paths(vm::id(), blocks, drift, spread);
}

/// The same with floats as the device likes them.
#[routine(relaxed)]
pub fn option_relaxed(blocks: u32, drift: f32, spread: f32) -> f32 {
    paths(vm::id(), blocks, drift, spread)
}

/// The same, left in a buffer.
#[routine(relaxed)]
pub fn option_relaxed_into(blocks: u32, drift: f32, spread: f32, sum: &mut f32) {
    *sum = paths(vm::id(), blocks, drift, spread);
}

/// The paths of a share's price.
pub struct Market {
    /// VMs, each of which adds up paths of its own.
    pub vms: u32,
    /// Blocks of four paths for each.
    pub blocks: u32,
    /// How the logarithm of the price moves in all these years, and how far it is scattered.
    pub drift: f32,
    /// See there.
    pub spread: f32,
}

impl Market {
    /// How many paths there are.
    pub fn paths(&self) -> f64 {
        f64::from(self.vms) * f64::from(self.blocks) * 4.0
    }

    /// How far the price by these sums is from the formula's, as a share of what it may be.
    pub fn distance(&self, sums: &[f32]) -> f64 {
        let mean = sums.iter().map(|sum| f64::from(*sum)).sum::<f64>() / self.paths();
        let price = mean * f64::from(-INTEREST * YEARS).exp();
        // A path's payoff has a standard deviation below 16.
        (price - PRICE).abs() / (5.0 * 16.0 / self.paths().sqrt())
    }
}

impl From<Size> for Market {
    fn from(size: Size) -> Market {
        let (vms, blocks) = size.pick((1 << 12, 8), (1 << 18, 64));
        Market {
            vms,
            blocks,
            drift: (INTEREST - 0.5 * VOLATILITY * VOLATILITY) * YEARS,
            spread: VOLATILITY * YEARS.sqrt(),
        }
    }
}

impl Workload for Market {
    type Output = f32;

    const RETURNING: &'static str = "option";

    fn amount(&self) -> String {
        format!("{} paths", self.paths())
    }

    fn native(&self) -> Vec<f32> {
        let sum = |me| paths(me, self.blocks, self.drift, self.spread);
        (0..self.vms).into_par_iter().map(sum).collect()
    }

    fn launched<'l>(&'l self, launch: Launch<'l>) -> Launch<'l> {
        let launch = launch.args((self.blocks, self.drift, self.spread));
        launch.vms(self.vms as usize)
    }

    fn arguments(&self) -> Vec<Argument> {
        let words = [self.blocks, self.drift.to_bits(), self.spread.to_bits()];
        words.map(|word| Argument::Value(vec![word])).into()
    }
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

    #[test]
    fn the_price_is_that_of_the_formula() {
        let market = Market::from(Size::Small);
        assert!(market.distance(&market.native()) < 1.0);
    }
}
