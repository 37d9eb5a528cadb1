//! Extended Euclid, modular inverses, the Chinese remainder theorem, and fractions in lowest terms.

use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Neg, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Bezout {
    gcd: i64,
    x: i64,
    y: i64,
}

#[routine]
fn extended_gcd(a: i64, b: i64) -> Bezout {
    if b == 0 {
        return Bezout { gcd: a, x: 1, y: 0 };
    }
    let Bezout { gcd, x, y } = extended_gcd(b, a % b);
    Bezout {
        gcd,
        x: y,
        y: x - a / b * y,
    }
}

/// What `a` times it is 1 modulo `modulus`; -1 where there is none.
#[routine]
pub fn mod_inverse(a: i64, modulus: i64) -> i64 {
    match extended_gcd(a.rem_euclid(modulus), modulus) {
        Bezout { gcd: 1, x, .. } => x.rem_euclid(modulus),
        _ => -1,
    }
}

/// All numbers that are `remainder` modulo `modulus`.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congruence {
    pub remainder: i64,
    pub modulus: i64,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum CrtError {
    BadModulus,
    Contradiction,
    Overflow,
}

#[routine]
impl Congruence {
    const EVERYTHING: Self = Self {
        remainder: 0,
        modulus: 1,
    };

    fn normalised(self) -> Result<Self, CrtError> {
        if self.modulus <= 0 {
            return Err(CrtError::BadModulus);
        }
        Ok(Self {
            remainder: self.remainder.rem_euclid(self.modulus),
            ..self
        })
    }

    fn and(self, other: Self) -> Result<Self, CrtError> {
        let Bezout { gcd, x, .. } = extended_gcd(self.modulus, other.modulus);
        let difference = other.remainder - self.remainder;
        if difference % gcd != 0 {
            return Err(CrtError::Contradiction);
        }
        let modulus = (self.modulus / gcd)
            .checked_mul(other.modulus)
            .ok_or(CrtError::Overflow)?;
        let step = i128::from(difference / gcd) * i128::from(x) % i128::from(other.modulus / gcd);
        let remainder = (i128::from(self.remainder) + step * i128::from(self.modulus)).rem_euclid(i128::from(modulus));
        Ok(Self {
            remainder: remainder as i64,
            modulus,
        })
    }
}

/// The one congruence that says all of `system`; an error has the modulus 0, -1 or -2.
#[routine]
pub fn chinese_remainder(system: &[Congruence]) -> Congruence {
    let joined = system.iter().try_fold(Congruence::EVERYTHING, |all, congruence| {
        all.and(congruence.normalised()?)
    });
    joined.unwrap_or_else(|error| Congruence {
        remainder: 0,
        modulus: match error {
            CrtError::BadModulus => 0,
            CrtError::Contradiction => -1,
            CrtError::Overflow => -2,
        },
    })
}

/// A fraction in lowest terms, the lower part above zero.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    pub over: i64,
    pub under: i64,
}

#[routine]
impl Fraction {
    fn new(over: i64, under: i64) -> Self {
        assert_ne!(under, 0, "a fraction over zero");
        let gcd = extended_gcd(over, under).gcd.abs();
        let sign = under.signum();
        Self {
            over: sign * over / gcd,
            under: sign * under / gcd,
        }
    }
}

#[routine]
impl From<i64> for Fraction {
    fn from(whole: i64) -> Self {
        Self { over: whole, under: 1 }
    }
}

#[routine]
impl Neg for Fraction {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            over: -self.over,
            ..self
        }
    }
}

#[routine]
impl Add for Fraction {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(
            self.over * other.under + other.over * self.under,
            self.under * other.under,
        )
    }
}

#[routine]
impl Sub for Fraction {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

#[routine]
impl Mul for Fraction {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(self.over * other.over, self.under * other.under)
    }
}

#[routine]
impl Div for Fraction {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        Self::new(self.over * other.under, self.under * other.over)
    }
}

#[routine]
impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[routine]
impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.over * other.under).cmp(&(other.over * self.under))
    }
}

/// The fraction next to `target` with a lower part of at most `limit`, down the Stern-Brocot tree.
#[routine]
pub fn best_fraction(target: Fraction, limit: i64) -> Fraction {
    let target = Fraction::new(target.over, target.under);
    let whole = target.over.div_euclid(target.under);
    let (mut low, mut high) = (Fraction::from(whole), Fraction::from(whole + 1));
    while low.under + high.under <= limit {
        let middle = Fraction {
            over: low.over + high.over,
            under: low.under + high.under,
        };
        match middle.cmp(&target) {
            Ordering::Less => low = middle,
            Ordering::Greater => high = middle,
            Ordering::Equal => return middle,
        }
    }
    if target - low <= high - target { low } else { high }
}

/// The sum of 1/k for the numbers 1 to n, over the square of the last.
#[routine]
pub fn harmonic_mean_square(n: u32) -> Fraction {
    let sum = (1..=i64::from(n))
        .map(|k| Fraction::new(1, k))
        .fold(Fraction::from(0), Fraction::add);
    let last = Fraction::from(i64::from(n.max(1)));
    sum / (last * last)
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn inverses() {
        assert_eq!(extended_gcd(240, 46), Bezout { gcd: 2, x: -9, y: 47 });
        assert_eq!(mod_inverse(3, 11), 4);
        assert_eq!(mod_inverse(-3, 1_000_000_007) * 3 % 1_000_000_007, 1_000_000_006);
        assert_eq!(mod_inverse(6, 9), -1);
    }

    #[test]
    fn sun_tzu() {
        let system = [(2, 3), (3, 5), (2, 7)].map(|(remainder, modulus)| Congruence { remainder, modulus });
        assert_eq!(
            chinese_remainder(&system),
            Congruence {
                remainder: 23,
                modulus: 105
            }
        );
        let joint = [(5, 6), (-1, 4)].map(|(remainder, modulus)| Congruence { remainder, modulus });
        assert_eq!(
            chinese_remainder(&joint),
            Congruence {
                remainder: 11,
                modulus: 12
            }
        );
        let bad = [(1, 6), (2, 4)].map(|(remainder, modulus)| Congruence { remainder, modulus });
        assert_eq!(chinese_remainder(&bad).modulus, -1);
    }

    #[test]
    fn fractions() {
        let pi = Fraction {
            over: 314_159_265,
            under: 100_000_000,
        };
        assert_eq!(best_fraction(pi, 10), Fraction { over: 22, under: 7 });
        assert_eq!(best_fraction(pi, 200), Fraction { over: 355, under: 113 });
        assert_eq!(harmonic_mean_square(4), Fraction { over: 25, under: 192 });
    }
}
