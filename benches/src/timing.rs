//! How a thing is timed: warmed up, then repeated, and the median taken.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// Runs before the clock counts at least: they compile, fill caches and let engines find their pace.
const WARM_UPS: usize = 3;
/// Runs before it, where there is the time: after so many everything that engines learn of a launch they have learnt.
const STEADY: usize = 64;
/// How long they go on at least: a GPU that had nothing to do for a while takes so long to raise its clocks.
const WARM_UP: Duration = Duration::from_secs(2);
/// How long they go on at most for that many.
const LONG_WARM_UP: Duration = Duration::from_secs(4);
/// Runs that are called the first.
const FIRST: usize = 16;
/// Once this much time is spent on the repeats of one figure, three of them are enough.
const ENOUGH: Duration = Duration::from_secs(10);
/// The fewest repeats of a figure.
const FEWEST: usize = 3;

/// How often everything is repeated.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Repeats of one figure at most. Without any each thing is run once, to see that it is right.
    pub repeats: usize,
}

/// How long a run takes, in seconds: medians.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Pace {
    /// Of the first 16 runs, without the very first; `None` of what does not say.
    pub first: Option<f64>,
    /// After 64, or as many as there was time for.
    pub steady: f64,
}

impl Pace {
    /// That of what does not tell its first runs.
    pub fn steady(seconds: f64) -> Pace {
        Pace {
            first: None,
            steady: seconds,
        }
    }
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
    pub fn warm_by<T>(self, run: impl FnMut() -> Result<(f64, T)>) -> Result<(f64, T)> {
        let (pace, last) = self.paced(run)?;
        Ok((pace.steady, last))
    }

    /// As [`Timing::warm_by`], with the time of the first runs.
    ///
    /// # Errors
    ///
    /// What `run` fails with.
    pub fn paced<T>(self, mut run: impl FnMut() -> Result<(f64, T)>) -> Result<(Pace, T)> {
        if self.repeats == 0 {
            let (seconds, last) = run()?;
            return Ok((Pace::steady(seconds), last));
        }
        let first = warm_up(&mut run)?;
        let begin = Instant::now();
        let mut times = Vec::new();
        loop {
            let (seconds, last) = run()?;
            times.push(seconds);
            if times.len() >= self.repeats || times.len() >= FEWEST && begin.elapsed() > ENOUGH {
                let pace = Pace {
                    first: Some(first),
                    steady: median(&mut times),
                };
                return Ok((pace, last));
            }
        }
    }

    /// How the times of so many runs lie after warm-up; each says how long it took.
    ///
    /// # Errors
    ///
    /// What `run` fails with.
    pub fn spread(self, runs: usize, mut run: impl FnMut() -> Result<f64>) -> Result<Spread> {
        let runs = if self.repeats == 0 { 1 } else { runs };
        if self.repeats > 0 {
            warm_up(|| Ok((run()?, ())))?;
        }
        let mut times = (0..runs).map(|_| run()).collect::<Result<Vec<_>>>()?;
        let median = median(&mut times);
        let p99 = times.get(runs * 99 / 100).copied().unwrap_or(f64::NAN);
        Ok(Spread { median, p99 })
    }
}

/// Runs until it is warm. Gives the median of the first runs, in seconds.
fn warm_up<T>(mut run: impl FnMut() -> Result<(f64, T)>) -> Result<f64> {
    let begin = Instant::now();
    let mut times = Vec::new();
    loop {
        times.push(run()?.0);
        let elapsed = begin.elapsed();
        let is_steady = times.len() >= STEADY && elapsed > WARM_UP;
        if times.len() >= WARM_UPS && (is_steady || elapsed > LONG_WARM_UP) || elapsed > ENOUGH {
            break;
        }
    }
    times.truncate(FIRST);
    let is_alone = times.len() == 1;
    Ok(median(&mut times[usize::from(!is_alone)..]))
}

/// How the times of many runs lie, in seconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// Half of the runs took at most this long.
    pub median: f64,
    /// 99 of 100 runs took at most this long.
    pub p99: f64,
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

/// The median; `None` of no values.
pub fn median_if_any(values: &mut [f64]) -> Option<f64> {
    (!values.is_empty()).then(|| median(values))
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
                warm += usize::from(begin.elapsed() < WARM_UP);
                Ok(runs)
            })
            .unwrap();
        assert!(warm >= STEADY && last >= warm + 5, "{last} runs, {warm} at first");
        let (_, last) = Timing { repeats: 0 }.warm(|| Ok(7)).unwrap();
        assert_eq!(last, 7);
    }

    #[test]
    fn the_first_runs_are_told_from_the_later_ones() {
        let mut runs = 0;
        let run = || {
            runs += 1;
            // The very first compiles.
            let seconds = if runs == 1 {
                100.0
            } else {
                f64::from(u8::from(runs > FIRST))
            };
            std::thread::sleep(Duration::from_millis(1));
            Ok((seconds, ()))
        };
        let (pace, ()) = Timing { repeats: 5 }.paced(run).unwrap();
        assert_eq!((pace.first, pace.steady), (Some(0.0), 1.0));
    }

    #[test]
    fn a_spread_has_its_middle_and_its_tail() {
        let mut next = 0.0;
        let run = || {
            next += 1.0;
            Ok(next)
        };
        let spread = Timing { repeats: 1 }.spread(200, run).unwrap();
        assert_eq!(spread.p99 - spread.median, 99.5 - 1.0);
    }
}
