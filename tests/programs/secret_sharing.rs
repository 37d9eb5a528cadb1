//! Shamir's secret sharing: a polynomial over a finite field hides a secret, and any `K` of its points give it back. Over bytes, GF(2^8), and over the
//! integers modulo a prime.

use std::fmt::Debug;
use std::iter::{Product, Sum};
use std::ops::{Add, Div, Mul, Neg, Sub};

use gpuvm::prelude::*;

/// What can be added, multiplied and divided.
#[routine]
pub trait Field:
    Copy
    + PartialEq
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Sum
    + Product
{
    const ZERO: Self;
    const ONE: Self;

    fn from_index(index: u8) -> Self;

    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    fn pow(self, mut exponent: u32) -> Self {
        let mut base = self;
        let mut result = Self::ONE;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * base;
            }
            base = base * base;
            exponent >>= 1;
        }
        result
    }
}

/// A byte as a polynomial over GF(2), modulo x^8 + x^4 + x^3 + x + 1.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gf256(pub u8);

/// An integer modulo `P`.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Modular<const P: u64>(u64);

pub type Prime = Modular<4_294_967_291>;

#[routine]
impl Gf256 {
    const REDUCTION: u8 = 0x1b;

    const fn double(self) -> Self {
        let carry = self.0 >> 7;
        Gf256((self.0 << 1) ^ (carry * Self::REDUCTION))
    }

    fn inverse(self) -> Option<Self> {
        (self != Gf256::ZERO).then(|| self.pow(254))
    }
}

#[routine]
impl Add for Gf256 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Gf256(self.0 ^ other.0)
    }
}

#[routine]
impl Sub for Gf256 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other
    }
}

#[routine]
impl Mul for Gf256 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (_, product) = (0..8).fold((self, Gf256(0)), |(shifted, sum), bit| {
            let sum = if other.0 >> bit & 1 == 1 { sum + shifted } else { sum };
            (shifted.double(), sum)
        });
        product
    }
}

#[routine]
impl Div for Gf256 {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self * other.inverse().expect("division by zero")
    }
}

#[routine]
impl<const P: u64> Modular<P> {
    pub fn new(value: u64) -> Self {
        Modular(value % P)
    }

    /// By Euclid, with the coefficients of one side alone.
    fn inverse(self) -> Option<Self> {
        let (mut old, mut new) = ((P as i128, 0i128), (self.0 as i128, 1i128));
        while new.0 != 0 {
            let quotient = old.0 / new.0;
            (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
        }
        match old {
            (1, coefficient) => Some(Modular(coefficient.rem_euclid(P as i128) as u64)),
            _ => None,
        }
    }
}

#[routine]
impl<const P: u64> Add for Modular<P> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.0 + other.0)
    }
}

#[routine]
impl<const P: u64> Neg for Modular<P> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(P - self.0)
    }
}

#[routine]
impl<const P: u64> Sub for Modular<P> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

#[routine]
impl<const P: u64> Mul for Modular<P> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Modular((u128::from(self.0) * u128::from(other.0) % u128::from(P)) as u64)
    }
}

#[routine]
impl<const P: u64> Div for Modular<P> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self * other.inverse().expect("division by zero")
    }
}

macro_rules! folds {
    ($([$($generics:tt)*] $field:ty;)*) => {$(
        #[routine]
        impl<$($generics)*> Sum for $field {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, |a, b| a + b)
            }
        }

        #[routine]
        impl<$($generics)*> Product for $field {
            fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ONE, |a, b| a * b)
            }
        }
    )*};
}
folds! {
    [] Gf256;
    [const P: u64] Modular<P>;
}

#[routine]
impl Field for Gf256 {
    const ZERO: Self = Gf256(0);
    const ONE: Self = Gf256(1);
    fn from_index(index: u8) -> Self {
        Gf256(index)
    }
}

#[routine]
impl<const P: u64> Field for Modular<P> {
    const ZERO: Self = Modular(0);
    const ONE: Self = Modular(1);
    fn from_index(index: u8) -> Self {
        Self::new(index.into())
    }
}

/// A polynomial, the constant term first.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Polynomial<F, const K: usize> {
    coefficients: [F; K],
}

/// A point of it.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Share<F> {
    pub index: F,
    pub value: F,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareError {
    TooFew { have: u32, need: u32 },
    SameIndex(u32, u32),
    Inconsistent,
}

#[routine]
impl<F: Field, const K: usize> Polynomial<F, K> {
    pub fn hiding(secret: F, mut random: impl FnMut() -> F) -> Self {
        let mut coefficients = [secret; K];
        coefficients.iter_mut().skip(1).for_each(|c| *c = random());
        Self { coefficients }
    }

    pub fn eval(&self, x: F) -> F {
        self.coefficients.iter().rev().fold(F::ZERO, |sum, &c| sum * x + c)
    }

    pub fn shares(&self) -> impl Iterator<Item = Share<F>> + '_ {
        (1..=u8::MAX).map(F::from_index).map(move |index| Share {
            index,
            value: self.eval(index),
        })
    }
}

/// The value at `x` of the polynomial through the points, by Lagrange.
#[routine]
fn interpolate<F: Field>(shares: &[Share<F>], x: F) -> F {
    shares
        .iter()
        .enumerate()
        .map(|(i, share)| {
            let others = shares
                .iter()
                .enumerate()
                .filter(|&(j, _)| j != i)
                .map(|(_, other)| other.index);
            let basis: F = others.map(|other| (x - other) / (share.index - other)).product();
            basis * share.value
        })
        .sum()
}

/// The secret, if there are enough shares and what is left of them agrees.
#[routine]
fn recover<F: Field, const K: usize>(shares: &[Share<F>]) -> Result<F, ShareError> {
    for (i, share) in shares.iter().enumerate() {
        if let Some(j) = shares[..i].iter().position(|other| other.index == share.index) {
            return Err(ShareError::SameIndex(j as u32, i as u32));
        }
    }
    let Some((used, rest)) = shares.split_first_chunk::<K>() else {
        return Err(ShareError::TooFew {
            have: shares.len() as u32,
            need: K as u32,
        });
    };
    if rest.iter().all(|share| interpolate(used, share.index) == share.value) {
        Ok(interpolate(used, F::ZERO))
    } else {
        Err(ShareError::Inconsistent)
    }
}

/// Marsaglia's.
#[routine]
fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Eight bytes hidden, shared by five and given back by three of them.
#[routine]
pub fn share_bytes(secret: [u8; 8], seed: u64) -> Result<[u8; 8], ShareError> {
    let mut state = seed | 1;
    let mut out = [0; 8];
    for (byte, slot) in secret.into_iter().zip(&mut out) {
        let polynomial = Polynomial::<Gf256, 3>::hiding(Gf256(byte), || Gf256((xorshift(&mut state) >> 24) as u8));
        let mut shares = [Share {
            index: Gf256::ZERO,
            value: Gf256::ZERO,
        }; 5];
        for (kept, share) in shares.iter_mut().zip(polynomial.shares()) {
            *kept = share;
        }
        shares.rotate_left(2);
        *slot = recover::<_, 3>(&shares[..4])?.0;
    }
    Ok(out)
}

/// A number's shares, one of which may be spoilt.
#[routine]
pub fn share_number(secret: u64, spoilt: u8, taken: u8) -> Result<u64, ShareError> {
    let mut state = secret ^ 0x9e37_79b9_7f4a_7c15;
    let polynomial: Polynomial<Prime, 4> =
        Polynomial::hiding(Modular::new(secret), || Modular::new(xorshift(&mut state)));
    let mut shares = [Share {
        index: Prime::ONE,
        value: Prime::ZERO,
    }; 6];
    shares
        .iter_mut()
        .zip(polynomial.shares())
        .for_each(|(kept, share)| *kept = share);
    if let Some(share) = shares.get_mut(usize::from(spoilt)) {
        share.value = share.value + Field::ONE;
    }
    let taken = usize::from(taken).min(shares.len());
    recover::<Prime, 4>(&shares[..taken]).map(|secret| secret.0)
}

pub fn known() {
    assert_eq!(Gf256(0x57) * Gf256(0x83), Gf256(0xc1));
    assert_eq!(Gf256(0x53).inverse(), Some(Gf256(0xca)));
    assert_eq!(Prime::new(3).pow(4_294_967_290), Modular(1));
    assert_eq!(share_bytes(*b"gpuvm!!!", 77), Ok(*b"gpuvm!!!"));
    assert_eq!(share_number(123_456_789, 9, 6), Ok(123_456_789));
    assert_eq!(share_number(123_456_789, 5, 6), Err(ShareError::Inconsistent));
    assert_eq!(share_number(5, 9, 3), Err(ShareError::TooFew { have: 3, need: 4 }));
    let twice = [Share {
        index: Gf256(1),
        value: Gf256(7),
    }; 2];
    assert_eq!(recover::<_, 2>(&twice), Err(ShareError::SameIndex(0, 1)));
}
