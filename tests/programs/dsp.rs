//! Fixed-point signal processing: a Q15 number with saturation, biquads in cascade, an FIR with symmetric taps, a Goertzel detector and an AGC.

use core::fmt;
use core::iter::{Product, Sum};
use core::num::Saturating;
use core::ops::{Add, AddAssign, Mul, Neg, Shl, Shr, Sub};

use gpuvm::prelude::*;

/// From -1 to just below 1.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Q15(i16);

#[routine]
impl Q15 {
    pub const ONE: Q15 = Q15(i16::MAX);

    const fn from_ratio(over: i32, under: i32) -> Q15 {
        let scaled = (over << 15) / under;
        Q15(if scaled > i16::MAX as i32 {
            i16::MAX
        } else if scaled < i16::MIN as i32 {
            i16::MIN
        } else {
            scaled as i16
        })
    }

    fn saturate(wide: i32) -> Q15 {
        Q15(wide.clamp(i16::MIN.into(), i16::MAX.into()) as i16)
    }

    fn abs(self) -> Q15 {
        Q15(self.0.saturating_abs())
    }
}

#[routine]
impl fmt::Display for Q15 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thousandths = i32::from(self.0) * 1000 >> 15;
        let sign = if thousandths < 0 { "-" } else { "" };
        write!(f, "{sign}0.{:03}", thousandths.abs())
    }
}

#[routine]
impl Add for Q15 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Q15(self.0.saturating_add(other.0))
    }
}

#[routine]
impl Sub for Q15 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Q15(self.0.saturating_sub(other.0))
    }
}

#[routine]
impl Mul for Q15 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::saturate((i32::from(self.0) * i32::from(other.0) + (1 << 14)) >> 15)
    }
}

#[routine]
impl Neg for Q15 {
    type Output = Self;
    fn neg(self) -> Self {
        Q15(self.0.saturating_neg())
    }
}

#[routine]
impl Shr<u32> for Q15 {
    type Output = Self;
    fn shr(self, by: u32) -> Self {
        Q15(self.0 >> by)
    }
}

#[routine]
impl Shl<u32> for Q15 {
    type Output = Self;
    fn shl(self, by: u32) -> Self {
        Self::saturate(i32::from(self.0) << by)
    }
}

#[routine]
impl AddAssign for Q15 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[routine]
impl Sum for Q15 {
    fn sum<I: Iterator<Item = Q15>>(items: I) -> Q15 {
        Q15::saturate(items.map(|q| i32::from(q.0)).sum())
    }
}

#[routine]
impl Product for Q15 {
    fn product<I: Iterator<Item = Q15>>(items: I) -> Q15 {
        items.fold(Q15::ONE, |product, item| product * item)
    }
}

/// What a signal goes through, a sample at a time.
#[routine]
trait Stage {
    fn process(&mut self, sample: Q15) -> Q15;

    fn process_all(&mut self, samples: &mut [Q15]) {
        for sample in samples {
            *sample = self.process(*sample);
        }
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Biquad {
    feed: [Q15; 3],
    back: [Q15; 2],
    shift: u32,
    state: [i32; 2],
}

#[routine]
impl Stage for Biquad {
    fn process(&mut self, sample: Q15) -> Q15 {
        let product = |a: Q15, b: Q15| i32::from(a.0) * i32::from(b.0);
        let [b0, b1, b2] = self.feed;
        let [a1, a2] = self.back;
        let out = Q15::saturate((self.state[0] + product(b0, sample)) >> (15 - self.shift));
        self.state[0] = self.state[1] + product(b1, sample) - product(a1, out);
        self.state[1] = product(b2, sample) - product(a2, out);
        out
    }
}

/// A filter whose taps are the same from both ends: half of them are kept.
#[derive(VmType, Clone, Copy, Debug)]
struct Symmetric<const H: usize> {
    taps: [Q15; H],
    line: [[Q15; H]; 2],
}

#[routine]
impl<const H: usize> Stage for Symmetric<H> {
    fn process(&mut self, sample: Q15) -> Q15 {
        let line = self.line.as_flattened_mut();
        line.rotate_right(1);
        line[0] = sample;
        let (newer, older) = line.split_at(H);
        let pairs = newer.iter().zip(older.iter().rev());
        pairs
            .zip(&self.taps)
            .map(|((&new, &old), &tap)| ((new >> 1) + (old >> 1)) * tap)
            .sum::<Q15>()
            << 1
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Gain {
    target: Q15,
    level: Saturating<u16>,
    exponent: u32,
}

#[routine]
impl Stage for Gain {
    fn process(&mut self, sample: Q15) -> Q15 {
        let louder = sample << self.exponent;
        if louder.abs() > self.target {
            self.level += 64;
            if self.level.0 > 1000 && self.exponent > 0 {
                self.exponent -= 1;
                self.level = Saturating(0);
            }
        } else {
            self.level -= 1;
        }
        louder
    }
}

#[routine]
impl<A: Stage, B: Stage> Stage for (A, B) {
    fn process(&mut self, sample: Q15) -> Q15 {
        let between = self.0.process(sample);
        self.1.process(between)
    }
}

/// How strong a frequency is: `cosine` is that of the angle between two samples, halved.
#[routine]
fn goertzel(samples: &[Q15], cosine: Q15) -> u32 {
    let (a, b) = samples.iter().fold((0i64, 0i64), |(a, b), sample| {
        let next = i64::from(sample.0) + ((i64::from(cosine.0) * a) >> 13) - b;
        (next, a)
    });
    let power = a * a + b * b - (((i64::from(cosine.0) * a) >> 13) * b);
    (power >> 20).clamp(0, u32::MAX.into()) as u32
}

#[routine]
fn square_wave(period: u32) -> impl Iterator<Item = Q15> {
    let period = period.max(2);
    (0..).map(move |i| {
        if i % period * 2 < period {
            Q15::from_ratio(1, 4)
        } else {
            Q15::from_ratio(-1, 4)
        }
    })
}

const LOW_PASS: Biquad = Biquad {
    feed: [Q15::from_ratio(1, 8), Q15::from_ratio(1, 4), Q15::from_ratio(1, 8)],
    back: [Q15::from_ratio(-1, 2), Q15::from_ratio(1, 4)],
    shift: 0,
    state: [0; 2],
};

/// A square wave through two low passes and a gain; the last samples, and how strong two frequencies are.
#[routine]
pub fn dsp_chain(period: u32, exponent: u32) -> ([Q15; 4], u32, u32) {
    let gain = Gain {
        target: Q15::from_ratio(3, 4),
        level: Saturating(0),
        exponent: exponent % 4,
    };
    let mut chain = (LOW_PASS, (LOW_PASS, gain));
    let mut samples = [Q15::default(); 32];
    for (place, sample) in samples.iter_mut().zip(square_wave(period)) {
        *place = chain.process(sample);
    }
    let last = samples.last_chunk().copied().unwrap_or_default();
    (
        last,
        goertzel(&samples, Q15(0)),
        goertzel(&samples, Q15::from_ratio(1, 4)),
    )
}

/// A signal smoothed by symmetric taps, in place; the largest sample, and the product of the first ones.
#[routine]
pub fn dsp_smooth(samples: &mut [i16]) -> (i16, i16) {
    let mut filter = Symmetric::<2> {
        taps: [Q15::from_ratio(1, 8), Q15::from_ratio(3, 8)],
        line: Default::default(),
    };
    let mut block = [Q15::default(); 16];
    for chunk in samples.chunks_mut(16) {
        let block = &mut block[..chunk.len()];
        for (place, &sample) in block.iter_mut().zip(chunk.iter()) {
            *place = Q15(sample);
        }
        filter.process_all(block);
        chunk.iter_mut().zip(block).for_each(|(sample, q)| *sample = q.0);
    }
    let largest = samples.iter().map(|&sample| Q15(sample)).max().unwrap_or_default();
    let product: Q15 = samples.iter().take(3).map(|&sample| Q15(sample)).product();
    (largest.0, product.0)
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn numbers() {
        let half = Q15::from_ratio(1, 2);
        assert_eq!((half * half).0, 1 << 13);
        assert_eq!(half + half, Q15::ONE);
        assert_eq!(format!("{} {}", half, -half >> 1), "0.500 -0.250");
    }

    #[test]
    fn filters() {
        let mut step = [16_384i16; 8];
        assert_eq!(dsp_smooth(&mut step), (16_384, 224));
        assert_eq!(step[..5], [2_048, 8_192, 14_336, 16_384, 16_384]);
        let (last, still, moving) = dsp_chain(4, 0);
        assert!(still > moving, "{last:?} {still} {moving}");
    }
}
