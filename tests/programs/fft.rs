//! The fast Fourier transform in `f64`: complex numbers with operators, radix two in place, convolution and spectra.

use core::f64::consts::TAU;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

#[routine]
impl Complex {
    const ONE: Self = Self { re: 1.0, im: 0.0 };

    fn from_angle(angle: f64) -> Self {
        let (im, re) = angle.sin_cos();
        Self { re, im }
    }

    fn conjugate(self) -> Self {
        Self { im: -self.im, ..self }
    }

    fn norm_squared(self) -> f64 {
        self.re * self.re + self.im * self.im
    }

    fn scale(self, by: f64) -> Self {
        Self {
            re: self.re * by,
            im: self.im * by,
        }
    }
}

#[routine]
impl From<f64> for Complex {
    fn from(re: f64) -> Self {
        Self { re, im: 0.0 }
    }
}

#[routine]
impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

#[routine]
impl AddAssign for Complex {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[routine]
impl Sub for Complex {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

#[routine]
impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

#[routine]
impl Sum for Complex {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Self::add)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Inverse,
}

/// Transforms in place; the length must be a power of two.
#[routine]
fn transform(values: &mut [Complex], direction: Direction) {
    let len = values.len();
    assert!(len.is_power_of_two());
    let bits = len.trailing_zeros();
    for i in 0..len {
        let j = i.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0);
        if i < j {
            values.swap(i, j);
        }
    }
    let sign = if direction == Direction::Forward { -1.0 } else { 1.0 };
    let mut half = 1;
    while half < len {
        let root = Complex::from_angle(sign * TAU / (2 * half) as f64);
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            let mut twiddle = Complex::ONE;
            for (a, b) in low.iter_mut().zip(high) {
                let turned = *b * twiddle;
                (*a, *b) = (*a + turned, *a - turned);
                twiddle = twiddle * root;
            }
        }
        half *= 2;
    }
    if direction == Direction::Inverse {
        let factor = 1.0 / len as f64;
        values.iter_mut().for_each(|value| *value = value.scale(factor));
    }
}

/// The power at each of 33 frequencies of 64 samples, missing ones taken as zero, with a Hann window.
#[routine]
pub fn fft_power_spectrum(samples: &[f64], power: &mut [f64]) {
    let mut values = [Complex::default(); 64];
    let len = values.len() as f64;
    for ((i, value), &sample) in values.iter_mut().enumerate().zip(samples) {
        let window = 0.5 - 0.5 * (TAU * i as f64 / len).cos();
        *value = Complex::from(sample * window);
    }
    transform(&mut values, Direction::Forward);
    for (out, value) in power.iter_mut().zip(values).take(33) {
        *out = value.norm_squared();
    }
}

/// The product of two polynomials of up to 16 coefficients.
#[routine]
pub fn fft_multiply(a: &[i32], b: &[i32]) -> [i64; 32] {
    let load = |coefficients: &[i32]| {
        let mut values = [Complex::default(); 32];
        for (value, &c) in values.iter_mut().zip(coefficients.iter().take(16)) {
            value.re = f64::from(c);
        }
        transform(&mut values, Direction::Forward);
        values
    };
    let (mut product, other) = (load(a), load(b));
    for (p, q) in product.iter_mut().zip(other) {
        *p = *p * q;
    }
    transform(&mut product, Direction::Inverse);
    product.map(|value| value.re.round() as i64)
}

/// How far the fast transform of a signal is from the definition, and its inverse from the signal.
#[routine]
pub fn fft_error(signal: [Complex; 16]) -> [f64; 2] {
    let mut fast = signal;
    transform(&mut fast, Direction::Forward);
    let slow = |k: usize| -> Complex {
        let root = |n: usize| Complex::from_angle(TAU * (k * n) as f64 / 16.0).conjugate();
        signal.iter().enumerate().map(|(n, &value)| value * root(n)).sum()
    };
    let forward = fast
        .iter()
        .enumerate()
        .map(|(k, &value)| (value - slow(k)).norm_squared())
        .fold(0.0, f64::max);
    transform(&mut fast, Direction::Inverse);
    let back = fast
        .iter()
        .zip(&signal)
        .map(|(&a, &b)| (a - b).norm_squared())
        .fold(0.0, f64::max);
    [forward.sqrt(), back.sqrt()]
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn multiplies() {
        let product = fft_multiply(&[1, 2, 3], &[4, -5]);
        assert_eq!(product[..5], [4, 3, 2, -15, 0]);
        assert_eq!(fft_multiply(&[1000; 16], &[1000; 16])[15], 16_000_000);
    }

    #[test]
    fn spectrum() {
        let samples: [f64; 64] = core::array::from_fn(|i| (TAU * 5.0 * i as f64 / 64.0).cos());
        let mut power = [0.0; 33];
        fft_power_spectrum(&samples, &mut power);
        assert!((power[5] - 256.0).abs() < 1e-9 && (power[6] - 64.0).abs() < 1e-9 && power[8] < 1e-20);
    }

    #[test]
    fn errors() {
        let signal = core::array::from_fn(|i| Complex {
            re: i as f64,
            im: (i * i % 7) as f64,
        });
        let [forward, back] = fft_error(signal);
        assert!(forward < 1e-12 && back < 1e-13);
    }
}
