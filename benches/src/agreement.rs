//! Whether results are equal to the judge's, bit for bit or nearly.

use std::fmt;

use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// How far a contestant may be from the judge, the native Rust function.
#[derive(Clone, Copy, Debug)]
pub enum Tolerance {
    /// Not at all.
    Exact,
    /// This share of the words may differ, by whatever.
    Share(f64),
    /// Every word is an `f32` and may differ by this, relative to the judge's or to 1, whichever is larger.
    Relative(f32),
}

/// How near a contestant came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Words compared.
    pub words: usize,
    /// Words whose bits differ.
    pub different: usize,
    /// The largest difference of two `f32`, where words are such: relative to the judge's or to 1, whichever is larger.
    pub worst: Option<f32>,
}

impl Agreement {
    /// Compares results with the judge's.
    ///
    /// # Errors
    ///
    /// When they are further apart than the tolerance.
    pub fn check(judge: &[u32], found: &[u32], tolerance: Tolerance) -> Result<Agreement> {
        ensure!(
            judge.len() == found.len(),
            "gave {} words instead of {}",
            found.len(),
            judge.len()
        );
        let pairs = || judge.iter().zip(found).enumerate().filter(|(_, (a, b))| a != b);
        let different = pairs().count();
        let mut agreement = Agreement {
            words: judge.len(),
            different,
            worst: None,
        };
        let first = || match pairs().next() {
            Some((at, (a, b))) => format!("first at word {at}: {a:#010x} became {b:#010x}"),
            None => String::new(),
        };
        match tolerance {
            Tolerance::Exact if different > 0 => bail!("{different} of {} words differ, {}", judge.len(), first()),
            Tolerance::Share(most) if different as f64 > most * judge.len() as f64 => {
                bail!(
                    "{different} of {} words differ, more than {most} of them, {}",
                    judge.len(),
                    first()
                )
            }
            Tolerance::Relative(most) => {
                let worst = pairs().map(|(_, (a, b))| distance(*a, *b)).fold(0.0, f32::max);
                ensure!(worst <= most, "a word is off by {worst}, more than {most}, {}", first());
                agreement.worst = Some(worst);
            }
            Tolerance::Exact | Tolerance::Share(_) => {}
        }
        Ok(agreement)
    }
}

/// The distance of two `f32` given as bits; infinite where one is no number.
fn distance(expected: u32, found: u32) -> f32 {
    let (expected, found) = (f32::from_bits(expected), f32::from_bits(found));
    let distance = (expected - found).abs() / expected.abs().max(1.0);
    if distance.is_nan() { f32::INFINITY } else { distance }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.different, self.worst) {
            (0, _) => f.write_str("same bits"),
            (different, worst) => {
                let share = 100.0 * different as f64 / self.words as f64;
                write!(f, "NOT bit-equal: {share:.2} % differ")?;
                worst.map_or(Ok(()), |worst| write!(f, ", by up to {worst:.0e}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tolerance_has_its_limit() {
        let judge = [1f32.to_bits(), 2f32.to_bits()];
        let near = [1f32.to_bits(), 2.001f32.to_bits()];
        let check = |found, tolerance| Agreement::check(&judge, found, tolerance).map(|found| found.different);
        assert_eq!(check(&judge, Tolerance::Exact).unwrap(), 0);
        assert!(check(&near, Tolerance::Exact).is_err());
        assert_eq!(check(&near, Tolerance::Share(0.5)).unwrap(), 1);
        assert!(check(&near, Tolerance::Share(0.4)).is_err());
        assert_eq!(check(&near, Tolerance::Relative(1e-3)).unwrap(), 1);
        assert!(check(&near, Tolerance::Relative(1e-4)).is_err());
        let no_number = [f32::NAN.to_bits(), judge[1]];
        assert!(check(&no_number, Tolerance::Relative(1.0)).is_err());
        assert!(check(&judge[..1], Tolerance::Share(1.0)).is_err());
    }
}
