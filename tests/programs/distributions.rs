//! Densities and cumulative functions of well-known distributions, by a library of special functions.

use gpuvm::prelude::*;

use crate::special_functions::{cube_root, gamma, lambert_w};

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub enum Law {
    Exponential { rate: f64 },
    Gamma { shape: f64, scale: f64 },
    Student { freedom: f64 },
    ChiSquared { freedom: f64 },
}

#[routine]
impl Law {
    fn density(&self, x: f64) -> f64 {
        match *self {
            Law::Exponential { rate } if x >= 0.0 => rate * f64::exp(-rate * x),
            Law::Gamma { shape, scale } if x > 0.0 => {
                f64::powf(x, shape - 1.0) * f64::exp(-x / scale) / (gamma(shape) * f64::powf(scale, shape))
            }
            Law::Student { freedom } => {
                let half = (freedom + 1.0) / 2.0;
                gamma(half) / (f64::sqrt(freedom * core::f64::consts::PI) * gamma(freedom / 2.0))
                    * f64::powf(1.0 + x * x / freedom, -half)
            }
            Law::ChiSquared { freedom } => Law::Gamma {
                shape: freedom / 2.0,
                scale: 2.0,
            }
            .density(x),
            _ => 0.0,
        }
    }

    /// Wilson and Hilferty's way from a quantile of the normal distribution.
    fn quantile(&self, normal: f64) -> Option<f64> {
        let Law::ChiSquared { freedom } = self else { return None };
        let ninth = 2.0 / (9.0 * freedom);
        let root = 1.0 - ninth + normal * f64::sqrt(ninth);
        Some(freedom * root * root * root)
    }
}

#[routine]
pub fn density(law: Law, x: f64) -> f64 {
    law.density(x)
}

/// Where a density is half of what it is at `x`, for the exponential one; else a mean of roots.
#[routine]
pub fn half_of(law: Law, x: f64) -> f64 {
    match (law, law.quantile(x)) {
        (Law::Exponential { rate }, _) => x + core::f64::consts::LN_2 / rate,
        (_, Some(quantile)) => cube_root(quantile),
        (_, None) => lambert_w(x.abs()) / 2.0,
    }
}
