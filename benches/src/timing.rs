//! How a thing is timed: warmed up, then repeated, and the median taken.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

/// Runs before the clock counts: they compile, fill caches and let engines find their pace.
const WARM_UPS: u32 = 3;
/// How long they go on at least: a GPU that had nothing to do for a while takes so long to raise its clocks.
const WARM_UP: Duration = Duration::from_secs(2);
/// Once this much time is spent on the repeats of one figure, three of them are enough.
const ENOUGH: Duration = Duration::from_secs(10);
/// The fewest repeats of a figure.
const FEWEST: usize = 3;

/// How often everything is repeated.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Repeats of one figure at most.
    pub repeats: usize,
}

impl Timing {
    /// The median time of `run` in seconds after warm-up, and what it gave the last time.
    ///
    /// # Errors
    ///
    /// What `run` fails with.
    pub fn warm<T>(self, mut run: impl FnMut() -> Result<T>) -> Result<(f64, T)> {
        self.warm_by(|| once(&mut run))
    }

    /// As [`Timing::warm`], with a run that says itself how long it took, because it does more than what is timed.
    ///
    /// # Errors
    ///
    /// What `run` fails with.
    pub fn warm_by<T>(self, mut run: impl FnMut() -> Result<(f64, T)>) -> Result<(f64, T)> {
        warm_up(&mut run)?;
        let begin = Instant::now();
        let mut times = Vec::new();
        loop {
            let (seconds, last) = run()?;
            times.push(seconds);
            if times.len() >= self.repeats.max(1) || times.len() >= FEWEST && begin.elapsed() > ENOUGH {
                return Ok((median(&mut times), last));
            }
        }
    }
}

fn warm_up<T>(mut run: impl FnMut() -> Result<T>) -> Result<()> {
    let begin = Instant::now();
    for runs in 1.. {
        run()?;
        let elapsed = begin.elapsed();
        if runs >= WARM_UPS && elapsed > WARM_UP || elapsed > ENOUGH {
            break;
        }
    }
    Ok(())
}

/// How the times of many runs lie, in seconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    /// Half of the runs took at most this long.
    pub median: f64,
    /// 99 of 100 runs took at most this long.
    pub p99: f64,
}

/// How the times of so many runs lie after warm-up; each says how long it took.
///
/// # Errors
///
/// What `run` fails with.
pub fn spread(runs: usize, mut run: impl FnMut() -> Result<f64>) -> Result<Spread> {
    warm_up(&mut run)?;
    let mut times = (0..runs).map(|_| run()).collect::<Result<Vec<_>>>()?;
    let median = median(&mut times);
    let p99 = times.get(runs * 99 / 100).copied().unwrap_or(f64::NAN);
    Ok(Spread { median, p99 })
}

/// The time of one run in seconds, and what it gave.
///
/// # Errors
///
/// What `run` fails with.
pub fn once<T>(run: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let start = Instant::now();
    let result = run()?;
    Ok((start.elapsed().as_secs_f64(), result))
}

/// The median; of an even number of values the mean of the middle two, of none not a number.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values {
        [] => f64::NAN,
        _ if values.len() % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&mut []).is_nan());
    }

    #[test]
    fn warm_repeats_as_often_as_asked() {
        let (mut runs, begin) = (0, Instant::now());
        let mut warm = 0;
        let (_, last) = Timing { repeats: 5 }
            .warm(|| {
                runs += 1;
                warm += u32::from(begin.elapsed() < WARM_UP);
                Ok(runs)
            })
            .unwrap();
        assert!(warm >= WARM_UPS && last >= warm + 5, "{last} runs, {warm} at first");
    }

    #[test]
    fn a_spread_has_its_middle_and_its_tail() {
        let mut next = 0.0;
        let spread = spread(200, || {
            next += 1.0;
            Ok(next)
        })
        .unwrap();
        assert_eq!(spread.p99 - spread.median, 99.5 - 1.0);
    }
}
