//! Numerical analysis in `f64`: Simpson's rule, adaptive and Romberg, roots by Newton and bisection, series.

use core::f64::consts::PI;
use core::ops::Range;

use gpuvm::prelude::*;

#[routine]
fn simpson(f: impl Fn(f64) -> f64, range: Range<f64>, halves: u32) -> f64 {
    let h = (range.end - range.start) / f64::from(2 * halves);
    let at = |i: u32| f(range.start + f64::from(i) * h);
    let odd: f64 = (1..2 * halves).step_by(2).map(at).sum();
    let even: f64 = (2..2 * halves).step_by(2).map(at).sum();
    h / 3.0 * (at(0) + 4.0 * odd + 2.0 * even + at(2 * halves))
}

#[routine]
fn adaptive<F: Fn(f64) -> f64>(f: &F, Range { start, end }: Range<f64>, tolerance: f64, depth: u32) -> f64 {
    let middle = f64::midpoint(start, end);
    let whole = simpson(f, start..end, 1);
    let halves = simpson(f, start..middle, 1) + simpson(f, middle..end, 1);
    let error = (halves - whole) / 15.0;
    if depth == 0 || error.abs() <= tolerance {
        return halves + error;
    }
    adaptive(f, start..middle, tolerance / 2.0, depth - 1) + adaptive(f, middle..end, tolerance / 2.0, depth - 1)
}

#[routine]
fn romberg<const N: usize>(f: impl Fn(f64) -> f64, range: &Range<f64>) -> f64 {
    let mut h = range.end - range.start;
    let mut row = [0.0; N];
    row[0] = h / 2.0 * (f(range.start) + f(range.end));
    for k in 1..N {
        h /= 2.0;
        let new: f64 = (0..1u32 << (k - 1))
            .map(|i| f(range.start + f64::from(2 * i + 1) * h))
            .sum();
        let halved = row[0] / 2.0 + h * new;
        let mut previous = core::mem::replace(&mut row[0], halved);
        let mut power = 1.0;
        for j in 1..=k {
            power *= 4.0;
            let better = row[j - 1] + (row[j - 1] - previous) / (power - 1.0);
            previous = core::mem::replace(&mut row[j], better);
        }
    }
    row[N - 1]
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum RootError {
    NoSignChange,
    TooManySteps,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Root {
    pub x: f64,
    pub steps: u32,
}

/// Newton's method, with a bisection where a step would leave the bracket.
#[routine]
fn find_root(f: impl Fn(f64) -> f64, derivative: impl Fn(f64) -> f64, bracket: Range<f64>) -> Result<Root, RootError> {
    let Range {
        start: mut low,
        end: mut high,
    } = bracket;
    if f(low).signum() == f(high).signum() {
        return Err(RootError::NoSignChange);
    }
    let rising = f(low) < 0.0;
    let mut x = f64::midpoint(low, high);
    for steps in 1..=100 {
        let value = f(x);
        if (value < 0.0) == rising {
            low = x;
        } else {
            high = x;
        }
        let newton = x - value / derivative(x);
        let next = if (low..=high).contains(&newton) {
            newton
        } else {
            f64::midpoint(low, high)
        };
        if (next - x).abs() <= 4.0 * f64::EPSILON * x.abs().max(1.0) {
            return Ok(Root { x: next, steps });
        }
        x = next;
    }
    Err(RootError::TooManySteps)
}

/// The integral of the bell curve from `from` to `to` three ways, and the part of pi that a half circle gives.
#[routine]
pub fn integrate_bell(from: f64, to: f64) -> [f64; 4] {
    let bell = |x: f64| (-x * x / 2.0).exp() / (2.0 * PI).sqrt();
    let range = from..to;
    [
        simpson(bell, range.clone(), 64),
        adaptive(&bell, range.clone(), 1e-12, 24),
        romberg::<8>(bell, &range),
        adaptive(&|x: f64| 4.0 / (1.0 + x * x), 0.0..1.0, 1e-13, 30),
    ]
}

/// Kepler's equation: the eccentric anomaly of a mean anomaly; not-a-number where none is found.
#[routine]
pub fn kepler(mean_anomaly: f64, eccentricity: f64) -> f64 {
    let m = mean_anomaly.rem_euclid(2.0 * PI);
    let root = find_root(
        |e| e - eccentricity * e.sin() - m,
        |e| 1.0 - eccentricity * e.cos(),
        -1.0..2.0 * PI + 1.0,
    );
    root.map_or(f64::NAN, |root| root.x)
}

/// The real root of a cubic between two places; where it has the same sign at both, at the first with no steps.
#[routine]
pub fn cubic_root(coefficients: [f64; 4], low: f64, high: f64) -> Root {
    let horner = |x: f64| coefficients.iter().rev().fold(0.0f64, |sum, c| sum.mul_add(x, *c));
    let derivative = |x: f64| {
        coefficients
            .iter()
            .enumerate()
            .skip(1)
            .rev()
            .fold(0.0, |sum, (power, c)| sum * x + c * power as f64)
    };
    match find_root(horner, derivative, low..high) {
        Ok(root) => root,
        Err(RootError::NoSignChange) => Root { x: low, steps: 0 },
        Err(RootError::TooManySteps) => panic!("a bracket halves each time"),
    }
}

/// The natural logarithm of the gamma function, by Lanczos' sum.
#[routine]
pub fn ln_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return (PI / (PI * x).sin()).abs().ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let sum = TERMS[1..]
        .iter()
        .zip(1..)
        .fold(TERMS[0], |sum, (term, i)| sum + term / (x + f64::from(i)));
    let t = x + G + 0.5;
    (2.0 * PI).sqrt().ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn integrals() {
        let [simpson, adaptive, romberg, pi] = integrate_bell(-1.0, 1.0);
        for value in [simpson, adaptive, romberg] {
            assert!((value - 0.682_689_492_137_085_9).abs() < 1e-9, "{value}");
        }
        assert!((pi - PI).abs() < 1e-11);
    }

    #[test]
    fn roots() {
        let e = kepler(1.0, 0.6);
        assert!((e - 0.6 * e.sin() - 1.0).abs() < 1e-12);
        let root = cubic_root([-5.0, -2.0, 0.0, 1.0], 2.0, 3.0);
        assert!((root.x - 2.094_551_481_542_326_5).abs() < 1e-14 && root.steps < 10);
        assert_eq!(cubic_root([1.0, 0.0, 1.0, 0.0], -1.0, 1.0), Root { x: -1.0, steps: 0 });
        assert!((ln_gamma(11.0) - 3_628_800.0f64.ln()).abs() < 1e-12);
        assert!((ln_gamma(-0.5) - (2.0 * PI.sqrt()).ln()).abs() < 1e-12);
    }
}
