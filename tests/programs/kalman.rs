//! A Kalman filter over matrices whose sizes rustc checks, and a smoother that goes back over what it kept.

use core::array;
use core::ops::{Add, Mul, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Matrix<const R: usize, const C: usize>([[f64; C]; R]);

pub type Vector<const N: usize> = Matrix<N, 1>;

#[routine]
impl<const R: usize, const C: usize> Matrix<R, C> {
    pub fn from_fn(mut f: impl FnMut(usize, usize) -> f64) -> Self {
        Self(array::from_fn(|r| array::from_fn(|c| f(r, c))))
    }

    pub fn transposed(&self) -> Matrix<C, R> {
        Matrix::from_fn(|r, c| self.0[c][r])
    }

    pub fn rows(&self) -> impl Iterator<Item = &[f64; C]> {
        self.0.iter()
    }
}

#[routine]
impl<const N: usize> Matrix<N, N> {
    pub fn identity() -> Self {
        Self::from_fn(|r, c| if r == c { 1.0 } else { 0.0 })
    }

    /// By Gauss and Jordan, with pivots.
    pub fn inverse(&self) -> Option<Self> {
        let mut left = self.0;
        let mut right = Self::identity().0;
        for i in 0..N {
            let pivot = (i..N).max_by(|&a, &b| left[a][i].abs().total_cmp(&left[b][i].abs()))?;
            if left[pivot][i].abs() < 1e-12 {
                return None;
            }
            left.swap(i, pivot);
            right.swap(i, pivot);
            let scale = left[i][i].recip();
            for value in left[i].iter_mut().chain(&mut right[i]) {
                *value *= scale;
            }
            for r in (0..N).filter(|&r| r != i) {
                let factor = left[r][i];
                for c in 0..N {
                    left[r][c] -= factor * left[i][c];
                    right[r][c] -= factor * right[i][c];
                }
            }
        }
        Some(Self(right))
    }
}

#[routine]
impl<const R: usize, const K: usize, const C: usize> Mul<&Matrix<K, C>> for &Matrix<R, K> {
    type Output = Matrix<R, C>;

    fn mul(self, other: &Matrix<K, C>) -> Matrix<R, C> {
        let columns = other.transposed();
        Matrix::from_fn(|r, c| self.0[r].iter().zip(&columns.0[c]).map(|(a, b)| a * b).sum())
    }
}

macro_rules! elementwise {
    ($($operator:ident, $method:ident, $symbol:tt;)*) => {
        $(
            #[routine]
            impl<const R: usize, const C: usize> $operator for Matrix<R, C> {
                type Output = Self;

                fn $method(self, other: Self) -> Self {
                    Self::from_fn(|r, c| self.0[r][c] $symbol other.0[r][c])
                }
            }
        )*
    };
}

elementwise! {
    Add, add, +;
    Sub, sub, -;
}

/// A state and how certain it is.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Estimate<const N: usize> {
    pub mean: Vector<N>,
    pub covariance: Matrix<N, N>,
}

#[derive(VmType, Clone, Copy, Debug)]
pub struct Model<const N: usize, const M: usize> {
    transition: Matrix<N, N>,
    process_noise: Matrix<N, N>,
    observation: Matrix<M, N>,
    measurement_noise: Matrix<M, M>,
}

#[routine]
impl<const N: usize, const M: usize> Model<N, M> {
    fn predict(&self, Estimate { mean, covariance }: &Estimate<N>) -> Estimate<N> {
        let f = &self.transition;
        Estimate {
            mean: f * mean,
            covariance: &(f * covariance) * &f.transposed() + self.process_noise,
        }
    }

    /// `None` where the measurement tells nothing at all.
    fn update(&self, prior: &Estimate<N>, measured: Vector<M>) -> Option<(Estimate<N>, Vector<M>)> {
        let h = &self.observation;
        let innovation = measured - h * &prior.mean;
        let cross = &prior.covariance * &h.transposed();
        let gain = &cross * &(h * &cross + self.measurement_noise).inverse()?;
        let posterior = Estimate {
            mean: prior.mean + &gain * &innovation,
            covariance: &(Matrix::identity() - &gain * h) * &prior.covariance,
        };
        Some((posterior, innovation))
    }

    /// Rauch, Tung and Striebel: what is known in the end of what was.
    fn smooth(&self, filtered: &mut [Estimate<N>]) -> Option<()> {
        let (last, before) = filtered.split_last_mut()?;
        let mut next = *last;
        for estimate in before.iter_mut().rev() {
            let predicted = self.predict(estimate);
            let gain = &(&estimate.covariance * &self.transition.transposed()) * &predicted.covariance.inverse()?;
            estimate.mean = estimate.mean + &gain * &(next.mean - predicted.mean);
            let change = &(&gain * &(next.covariance - predicted.covariance)) * &gain.transposed();
            estimate.covariance = estimate.covariance + change;
            next = *estimate;
        }
        Some(())
    }
}

#[routine]
fn falling(dt: f64, noise: f64) -> Model<2, 1> {
    Model {
        transition: Matrix([[1.0, dt], [0.0, 1.0]]),
        process_noise: Matrix([[dt.powi(3) / 3.0, dt * dt / 2.0], [dt * dt / 2.0, dt]]),
        observation: Matrix([[1.0, 0.0]]),
        measurement_noise: Matrix([[noise * noise]]),
    }
}

const START: Estimate<2> = Estimate {
    mean: Matrix([[0.0]; 2]),
    covariance: Matrix([[100.0, 0.0], [0.0, 100.0]]),
};

/// Position and velocity from positions, where NaN means that there was none; and how large the innovations were.
#[routine]
pub fn track(positions: &[f64], dt: f64, noise: f64) -> Option<([f64; 2], f64)> {
    let model = falling(dt, noise);
    let mut worst = 0.0_f64;
    let end = positions.iter().try_fold(START, |estimate, &position| {
        let prior = model.predict(&estimate);
        if position.is_nan() {
            return Some(prior);
        }
        let (posterior, Matrix([[innovation]])) = model.update(&prior, Matrix([[position]]))?;
        worst = worst.max(innovation.abs());
        Some(posterior)
    })?;
    let Matrix([[position], [velocity]]) = end.mean;
    Some(([position, velocity], worst))
}

/// The velocities of four positions, smoothed.
#[routine]
pub fn smoothed_velocities(positions: [f64; 4], dt: f64) -> Option<[f64; 4]> {
    let model = falling(dt, 0.5);
    let mut estimate = START;
    let mut kept = [START; 4];
    for (slot, position) in kept.iter_mut().zip(positions) {
        (estimate, _) = model.update(&model.predict(&estimate), Matrix([[position]]))?;
        *slot = estimate;
    }
    model.smooth(&mut kept)?;
    Some(kept.map(|estimate| estimate.mean.0[1][0]))
}

/// How far a matrix times its inverse is from one.
#[routine]
pub fn inverse_error(rows: [[f64; 3]; 3]) -> Option<f64> {
    let matrix = Matrix(rows);
    let product = &matrix * &matrix.inverse()?;
    let off = product - Matrix::identity();
    off.rows().flatten().map(|x| x.abs()).max_by(f64::total_cmp)
}

pub fn known() {
    let ([position, velocity], worst) = track(&[1.0, 2.0, 3.0, f64::NAN, 5.0, 6.0], 1.0, 0.1).unwrap();
    assert!(
        (position - 6.0).abs() < 0.05 && (velocity - 1.0).abs() < 0.2 && worst < 1.5,
        "{position} {velocity} {worst}"
    );
    assert_eq!(track(&[], 1.0, 1.0), Some(([0.0; 2], 0.0)));
    let velocities = smoothed_velocities([0.0, 2.0, 4.0, 6.0], 1.0).unwrap();
    assert!(velocities.iter().all(|v| (v - 2.0).abs() < 0.3), "{velocities:?}");
    assert!(inverse_error([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]]).unwrap() < 1e-12);
    assert_eq!(inverse_error([[1.0; 3]; 3]), None);
}
