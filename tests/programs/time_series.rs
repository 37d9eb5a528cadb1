//! Statistics of a series of samples: moments, runs, trends, robust scales and a histogram as text.

use core::cmp::Ordering;
use core::iter::{self, Sum};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u32,
    mean: f64,
    squares: f64,
}

#[routine]
impl Moments {
    fn with(mut self, x: f64) -> Self {
        self.count += 1;
        let off = x - self.mean;
        self.mean += off / f64::from(self.count);
        self.squares += off * (x - self.mean);
        self
    }

    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / f64::from(self.count - 1))
    }

    fn deviation(&self) -> f64 {
        self.variance().map(f64::sqrt).unwrap_or(f64::NAN)
    }
}

#[routine]
impl<'a> Sum<&'a f64> for Moments {
    fn sum<I: Iterator<Item = &'a f64>>(samples: I) -> Self {
        samples.copied().fold(Self::default(), Moments::with)
    }
}

#[routine]
impl FromIterator<f64> for Moments {
    fn from_iter<I>(samples: I) -> Self
    where
        I: IntoIterator<Item = f64>,
    {
        samples
            .into_iter()
            .fold(Moments::default(), |moments, x| moments.with(x))
    }
}

/// Samples in order, of which there are at most 64.
#[derive(VmType, Clone, Copy)]
struct Sorted {
    samples: [f64; 64],
    count: usize,
}

#[routine]
impl Sorted {
    fn of(samples: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted = Sorted {
            samples: [0.0; 64],
            count: 0,
        };
        for (slot, x) in sorted.samples.iter_mut().zip(samples) {
            *slot = x;
            sorted.count += 1;
        }
        sorted.samples[..sorted.count].sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        sorted
    }

    fn as_slice(&self) -> &[f64] {
        &self.samples[..self.count]
    }

    fn quantile(&self, q: f64) -> Option<f64> {
        let sorted = self.as_slice();
        let place = q * sorted.len().checked_sub(1)? as f64;
        let (below, part) = (place.floor() as usize, place.fract());
        Some(match sorted.get(below..=below + 1) {
            Some(&[a, b]) => a + part * (b - a),
            _ => *sorted.last()?,
        })
    }
}

#[routine]
fn covariance<'a>(a: impl Iterator<Item = &'a f64> + Clone, b: impl Iterator<Item = &'a f64> + Clone) -> f64 {
    let n = a.clone().zip(b.clone()).count() as f64;
    let (mean_a, mean_b) = (a.clone().sum::<f64>() / n, b.clone().sum::<f64>() / n);
    a.zip(b).map(|(x, y)| (x - mean_a) * (y - mean_b)).sum::<f64>() / n
}

#[routine]
fn autocorrelation(samples: &[f64], lag: usize) -> Option<f64> {
    let later = samples.get(lag..)?;
    let variance = covariance(samples.iter(), samples.iter());
    (variance > 0.0).then(|| covariance(samples.iter().take(later.len()), later.iter()) / variance)
}

/// The longest run of one sign, and how often the sign changes.
#[routine]
fn runs(samples: &[f64]) -> (usize, usize) {
    let signs = samples.iter().map(|x| x.is_sign_negative());
    let changes = signs.clone().zip(signs.clone().skip(1)).filter(|(a, b)| a != b).count();
    let longest = signs
        .scan((false, 0), |(last, length), sign| {
            *length = if sign == *last { *length + 1 } else { 1 };
            *last = sign;
            Some(*length)
        })
        .max()
        .unwrap_or_default();
    (longest, changes)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    moments: Moments,
    median: f64,
    quartiles: [f64; 2],
    /// The median distance from the median.
    spread: f64,
    extremes: (f64, f64),
    runs: (u32, u32),
}

#[routine]
pub fn summarize(samples: &[f64]) -> Option<Summary> {
    let sorted = Sorted::of(samples.iter().copied());
    let median = sorted.quantile(0.5)?;
    let spread = Sorted::of(samples.iter().take(64).map(|x| (x - median).abs())).quantile(0.5)?;
    let (longest, changes) = runs(samples);
    Some(Summary {
        moments: samples.iter().sum(),
        median,
        quartiles: [0.25, 0.75].map(|q| sorted.quantile(q).unwrap_or(median)),
        spread,
        extremes: samples
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
                (low.min(x), high.max(x))
            }),
        runs: (longest as u32, changes as u32),
    })
}

/// Which of the lags from 1 on goes best with the series, and whether the means of its windows rise.
#[routine]
pub fn period(samples: &[f64], window: u32) -> (Option<u32>, bool) {
    let best = (1..samples.len() / 2)
        .filter_map(|lag| Some((lag as u32, autocorrelation(samples, lag)?)))
        .max_by(|(_, a), (_, b)| a.total_cmp(b));
    let means = samples
        .chunks(window.max(1) as usize)
        .map(|chunk| chunk.iter().copied().collect::<Moments>().mean);
    (best.map(|(lag, _)| lag), means.is_sorted())
}

/// A bar of `#` for each bin between the extremes, each line closed by its count, outliers beyond three deviations left out.
#[routine]
pub fn histogram(samples: &[f64], bins: u8, out: &mut [u8]) -> u32 {
    let moments: Moments = samples.iter().sum();
    let (mean, reach) = (moments.mean, 3.0 * moments.deviation());
    let kept = samples.iter().filter(|&&x| reach.is_nan() || (x - mean).abs() <= reach);
    let (low, high) = kept
        .clone()
        .fold((f64::MAX, f64::MIN), |(low, high), x| (x.min(low), x.max(high)));
    let bins = usize::from(bins.clamp(1, 8));
    let mut counts = [0usize; 8];
    kept.map(|x| ((x - low) / (high - low) * bins as f64) as usize)
        .for_each(|bin| counts[bin.min(bins - 1)] += 1);
    let lines = counts[..bins].iter().flat_map(|&count| {
        let bar = iter::repeat_n(b'#', count).chain(iter::once(b' '));
        bar.chain([b'0' + count as u8 % 10, b'\n'])
    });
    out.iter_mut().zip(lines).map(|(to, byte)| *to = byte).count() as u32
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        let summary = summarize(&[2.0, -4.0, -4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!(
            (summary.median, summary.quartiles, summary.spread),
            (4.5, [0.5, 5.5], 2.5)
        );
        assert_eq!(
            (summary.moments.mean, summary.extremes, summary.runs),
            (3.0, (-4.0, 9.0), (5, 2))
        );
        assert_eq!(summarize(&[]), None);
        let wave = [0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0];
        assert_eq!(period(&wave, 4), (Some(4), true));
        let mut out = [0; 20];
        let length = histogram(&[0.0, 1.0, 1.0, 2.0, 2.5, 3.0], 3, &mut out);
        assert_eq!(&out[..length as usize], b"# 1\n## 2\n### 3\n");
    }
}
