//! Unsigned big integers of `N` 64-bit limbs: arithmetic with `u128` products, long division, decimal digits.

use core::cmp::Ordering;
use core::ops::{Add, AddAssign, Mul, MulAssign, Rem, Shl, Sub, SubAssign};

use gpuvm::prelude::*;

/// The limbs, lowest first; arithmetic wraps at the top.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uint<const N: usize>([u64; N]);

#[routine]
impl<const N: usize> Uint<N> {
    pub const ZERO: Self = Self([0; N]);
    pub const BITS: usize = 64 * N;

    pub const fn small(value: u64) -> Self {
        let mut limbs = [0; N];
        limbs[0] = value;
        Self(limbs)
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|&limb| limb == 0)
    }

    fn bit(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn bit_len(&self) -> usize {
        match self.0.iter().rposition(|&limb| limb != 0) {
            Some(top) => 64 * (top + 1) - self.0[top].leading_zeros() as usize,
            None => 0,
        }
    }

    fn overflowing_add(mut self, other: &Self) -> (Self, bool) {
        let mut carry = false;
        for (a, &b) in self.0.iter_mut().zip(&other.0) {
            let (sum, first) = a.overflowing_add(b);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            *a = sum;
            carry = first | second;
        }
        (self, carry)
    }

    /// Multiplies by one limb and adds another; returns what is beyond the top.
    fn mul_add_small(&mut self, factor: u64, addend: u64) -> u64 {
        self.0.iter_mut().fold(addend, |carry, limb| {
            let product = u128::from(*limb) * u128::from(factor) + u128::from(carry);
            *limb = product as u64;
            (product >> 64) as u64
        })
    }

    /// Divides by one limb; returns the remainder.
    fn div_small(&mut self, divisor: u64) -> u64 {
        let mut remainder = 0;
        for limb in self.0.iter_mut().rev() {
            let value = u128::from(remainder) << 64 | u128::from(*limb);
            *limb = (value / u128::from(divisor)) as u64;
            remainder = (value % u128::from(divisor)) as u64;
        }
        remainder
    }

    fn div_rem(self, divisor: Self) -> (Self, Self) {
        assert!(!divisor.is_zero(), "division by zero");
        let (mut quotient, mut remainder) = (Self::ZERO, Self::ZERO);
        for at in (0..self.bit_len()).rev() {
            remainder = remainder << 1;
            remainder.0[0] |= u64::from(self.bit(at));
            if remainder >= divisor {
                remainder -= divisor;
                quotient.0[at / 64] |= 1 << (at % 64);
            }
        }
        (quotient, remainder)
    }

    fn parse(digits: &[u8]) -> Option<Self> {
        let mut value = Self::ZERO;
        for &digit in digits {
            let digit = char::from(digit).to_digit(10)?;
            if value.mul_add_small(10, u64::from(digit)) != 0 {
                return None;
            }
        }
        Some(value)
    }

    /// Writes the decimal digits at the end of `buffer` and returns them.
    fn digits(mut self, buffer: &mut [u8]) -> &[u8] {
        let mut start = buffer.len();
        loop {
            start -= 1;
            buffer[start] = b'0' + self.div_small(10) as u8;
            if self.is_zero() || start == 0 {
                return &buffer[start..];
            }
        }
    }

    /// `self` to the power `exponent`, modulo `modulus`; the modulus must leave half of the bits free.
    fn pow_mod(self, exponent: &Self, modulus: Self) -> Self {
        let mut base = self % modulus;
        let mut result = Self::small(1) % modulus;
        for at in 0..exponent.bit_len() {
            if exponent.bit(at) {
                result = result * base % modulus;
            }
            base = base * base % modulus;
        }
        result
    }
}

#[routine]
impl<const N: usize> PartialOrd for Uint<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[routine]
impl<const N: usize> Ord for Uint<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

#[routine]
impl<const N: usize> Add for Uint<N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.overflowing_add(&other).0
    }
}

#[routine]
impl<const N: usize> AddAssign for Uint<N> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[routine]
impl<const N: usize> Sub for Uint<N> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let complement = Self(other.0.map(|limb| !limb));
        self + complement + Self::small(1)
    }
}

#[routine]
impl<const N: usize> SubAssign for Uint<N> {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

#[routine]
impl<const N: usize> Mul for Uint<N> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let mut product = [0u64; N];
        for (i, &a) in self.0.iter().enumerate().filter(|(_, a)| **a != 0) {
            let mut carry = 0;
            for (slot, &b) in product[i..].iter_mut().zip(&other.0) {
                let sum = u128::from(a) * u128::from(b) + u128::from(*slot) + carry;
                *slot = sum as u64;
                carry = sum >> 64;
            }
        }
        Self(product)
    }
}

#[routine]
impl<const N: usize> MulAssign<u64> for Uint<N> {
    fn mul_assign(&mut self, factor: u64) {
        self.mul_add_small(factor, 0);
    }
}

#[routine]
impl<const N: usize> Rem for Uint<N> {
    type Output = Self;

    fn rem(self, modulus: Self) -> Self {
        self.div_rem(modulus).1
    }
}

#[routine]
impl<const N: usize> Shl<usize> for Uint<N> {
    type Output = Self;

    fn shl(self, by: usize) -> Self {
        let (limbs, bits) = (by / 64, by % 64);
        Self(core::array::from_fn(|i| {
            let limb = |at: Option<usize>| at.and_then(|at| self.0.get(at)).copied().unwrap_or(0);
            let low = limb(i.checked_sub(limbs + 1));
            let high = limb(i.checked_sub(limbs));
            if bits == 0 {
                high
            } else {
                high << bits | low >> (64 - bits)
            }
        }))
    }
}

/// The decimal digits of n!, for n up to 170; how many.
#[routine]
pub fn big_factorial(n: u32, out: &mut [u8]) -> u32 {
    let mut factorial = Uint::<17>::small(1);
    for factor in 2..=u64::from(n.min(170)) {
        factorial *= factor;
    }
    let mut buffer = [b' '; 320];
    let digits = factorial.digits(&mut buffer);
    let len = digits.len().min(out.len());
    out[..len].copy_from_slice(&digits[..len]);
    digits.len() as u32
}

/// The n-th Fibonacci number of 256 bits, by doubling.
#[routine]
pub fn big_fibonacci(n: u32) -> Uint<4> {
    #[routine]
    fn pair(n: u32) -> (Uint<4>, Uint<4>) {
        if n == 0 {
            return (Uint::ZERO, Uint::small(1));
        }
        let (a, b) = pair(n / 2);
        let c = a * ((b << 1) - a);
        let d = a * a + b * b;
        if n.is_multiple_of(2) { (c, d) } else { (d, c + d) }
    }
    pair(n).0
}

/// base^exponent mod modulus of decimal numbers, its digits into `out`; how many, 0 where a number is bad.
#[routine]
pub fn big_pow_mod(base: &[u8], exponent: &[u8], modulus: &[u8], out: &mut [u8]) -> u32 {
    let (Some(base), Some(exponent), Some(modulus)) =
        (Uint::<8>::parse(base), Uint::parse(exponent), Uint::parse(modulus))
    else {
        return 0;
    };
    if modulus.is_zero() || modulus.bit_len() > Uint::<8>::BITS / 2 {
        return 0;
    }
    let power = base.pow_mod(&exponent, modulus);
    let mut buffer = [0; 80];
    let digits = power.digits(&mut buffer);
    let Some(room) = out.get_mut(..digits.len()) else {
        return 0;
    };
    room.copy_from_slice(digits);
    digits.len() as u32
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn factorials() {
        let mut out = [0; 320];
        let len = big_factorial(30, &mut out) as usize;
        assert_eq!(&out[..len], b"265252859812191058636308480000000");
        assert_eq!(big_factorial(0, &mut out), 1);
        assert_eq!(big_factorial(170, &mut out), 307);
        assert_eq!(&out[..8], b"72574156");
    }

    #[test]
    fn fibonacci() {
        assert_eq!(big_fibonacci(90), Uint::small(2_880_067_194_370_816_120));
        let mut buffer = [0; 80];
        assert_eq!(
            big_fibonacci(200).digits(&mut buffer),
            b"280571172992510140037611932413038677189525"
        );
    }

    #[test]
    fn powers() {
        let mut out = [0; 80];
        // Fermat: 2^(p - 1) = 1 for the prime 2^127 - 1.
        let p = b"170141183460469231731687303715884105727";
        assert_eq!(
            big_pow_mod(b"3", b"170141183460469231731687303715884105726", p, &mut out),
            1
        );
        assert_eq!(out[0], b'1');
        let len = big_pow_mod(b"7", b"100", b"1000000000000000000000000000057", &mut out) as usize;
        assert_eq!(&out[..len], b"105691787352601716013243172755");
        assert_eq!(big_pow_mod(b"1x", b"1", b"1", &mut out), 0);
    }
}
