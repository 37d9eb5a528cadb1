//! Reed-Solomon codes over GF(256): systematic encoding, syndromes, Berlekamp-Massey, Chien search and Forney's algorithm.

use core::ops::{Add, AddAssign, Div, Mul};

use gpuvm::prelude::*;

/// An element of the field with the polynomial x⁸ + x⁴ + x³ + x² + 1.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Gf(u8);

const EXP: [u8; 255] = {
    let mut table = [0; 255];
    let mut value = 1u16;
    let mut i = 0;
    while i < 255 {
        table[i] = value as u8;
        value <<= 1;
        if value & 0x100 != 0 {
            value ^= 0x11d;
        }
        i += 1;
    }
    table
};

const LOG: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 255 {
        table[EXP[i] as usize] = i as u8;
        i += 1;
    }
    table
};

#[routine]
impl Gf {
    const ZERO: Gf = Gf(0);
    const ONE: Gf = Gf(1);

    /// 2 to a power.
    fn exp(power: usize) -> Gf {
        Gf(EXP[power % 255])
    }

    fn log(self) -> Option<usize> {
        (self != Gf::ZERO).then(|| LOG[usize::from(self.0)] as usize)
    }

    fn inverse(self) -> Gf {
        Gf::ONE / self
    }
}

#[routine]
impl Add for Gf {
    type Output = Gf;

    #[allow(clippy::suspicious_arithmetic_impl)]
    fn add(self, other: Gf) -> Gf {
        Gf(self.0 ^ other.0)
    }
}

#[routine]
impl AddAssign for Gf {
    fn add_assign(&mut self, other: Gf) {
        *self = *self + other;
    }
}

#[routine]
impl Mul for Gf {
    type Output = Gf;

    fn mul(self, other: Gf) -> Gf {
        match (self.log(), other.log()) {
            (Some(a), Some(b)) => Gf::exp(a + b),
            _ => Gf::ZERO,
        }
    }
}

#[routine]
impl Div for Gf {
    type Output = Gf;

    fn div(self, other: Gf) -> Gf {
        let Some(b) = other.log() else {
            panic!("division by zero in GF(256)");
        };
        self.log().map_or(Gf::ZERO, |a| Gf::exp(a + 255 - b))
    }
}

/// How many check symbols there are, and how many errors they correct.
const CHECKS: usize = 8;
const MOST: usize = CHECKS / 2;

/// A polynomial, the coefficient of x⁰ first.
type Poly = [Gf; CHECKS + 1];

#[routine]
fn evaluate<'a>(coefficients: impl DoubleEndedIterator<Item = &'a Gf>, x: Gf) -> Gf {
    coefficients.rev().fold(Gf::ZERO, |sum, &c| sum * x + c)
}

/// The product of x − 2ⁱ.
#[routine]
fn generator() -> Poly {
    let mut poly = [Gf::ZERO; CHECKS + 1];
    poly[0] = Gf::ONE;
    for i in 0..CHECKS {
        let root = Gf::exp(i);
        for j in (0..=i + 1).rev() {
            let lower = if j > 0 { poly[j - 1] } else { Gf::ZERO };
            poly[j] = lower + poly[j] * root;
        }
    }
    poly
}

#[routine]
fn checks_of(message: &[u8]) -> [u8; CHECKS] {
    let generator = generator();
    let mut rest = [Gf::ZERO; CHECKS];
    for &byte in message {
        let factor = Gf(byte) + rest[CHECKS - 1];
        rest.rotate_right(1);
        rest[0] = Gf::ZERO;
        for (r, &g) in rest.iter_mut().zip(&generator) {
            *r += g * factor;
        }
    }
    let mut checks = rest.map(|Gf(byte)| byte);
    checks.reverse();
    checks
}

#[routine]
fn syndromes(block: &[u8]) -> [Gf; CHECKS] {
    core::array::from_fn(|i| {
        let x = Gf::exp(i);
        block.iter().fold(Gf::ZERO, |sum, &byte| sum * x + Gf(byte))
    })
}

/// The error locator, and its degree.
#[routine]
fn berlekamp_massey(syndromes: &[Gf; CHECKS]) -> (Poly, usize) {
    let (mut current, mut before) = ([Gf::ZERO; CHECKS + 1], [Gf::ZERO; CHECKS + 1]);
    current[0] = Gf::ONE;
    before[0] = Gf::ONE;
    let (mut degree, mut shift, mut last) = (0, 1, Gf::ONE);
    for n in 0..CHECKS {
        let discrepancy = (1..=degree).fold(syndromes[n], |sum, i| sum + current[i] * syndromes[n - i]);
        if discrepancy == Gf::ZERO {
            shift += 1;
            continue;
        }
        let (saved, factor) = (current, discrepancy / last);
        for (target, &source) in current.iter_mut().skip(shift).zip(before.iter()) {
            *target += factor * source;
        }
        if 2 * degree <= n {
            (degree, before, last, shift) = (n + 1 - degree, saved, discrepancy, 1);
        } else {
            shift += 1;
        }
    }
    (current, degree)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum DecodeError {
    TooShort,
    TooManyErrors { degree: u8, found: u8 },
    StillWrong,
}

#[routine]
fn correct(block: &mut [u8]) -> Result<u32, DecodeError> {
    if block.len() <= CHECKS {
        return Err(DecodeError::TooShort);
    }
    let syndromes = syndromes(block);
    if syndromes.iter().all(|&s| s == Gf::ZERO) {
        return Ok(0);
    }
    let (locator, degree) = berlekamp_massey(&syndromes);
    let mut positions = [0; MOST];
    let mut found = 0;
    for position in 0..block.len() {
        let x = Gf::exp(255 - position % 255);
        if evaluate(locator.iter(), x) == Gf::ZERO {
            if let Some(slot) = positions.get_mut(found) {
                *slot = position;
            }
            found += 1;
        }
    }
    if found != degree || degree > MOST {
        return Err(DecodeError::TooManyErrors {
            degree: degree as u8,
            found: found as u8,
        });
    }
    // The evaluator: syndromes times locator, without what is beyond the check symbols.
    let mut evaluator = [Gf::ZERO; CHECKS];
    for (i, &s) in syndromes.iter().enumerate() {
        for (j, &l) in locator.iter().enumerate().take(CHECKS - i) {
            evaluator[i + j] += s * l;
        }
    }
    for &position in &positions[..found] {
        let x = Gf::exp(position);
        let inverse = x.inverse();
        // The locator's derivative has its odd coefficients alone.
        let derivative = locator
            .iter()
            .skip(1)
            .step_by(2)
            .rev()
            .fold(Gf::ZERO, |sum, &c| sum * inverse * inverse + c);
        let magnitude = x * evaluate(evaluator.iter(), inverse) / derivative;
        let place = block.len() - 1 - position;
        block[place] ^= magnitude.0;
    }
    match self::syndromes(block) {
        [Gf(0), Gf(0), Gf(0), Gf(0), Gf(0), Gf(0), Gf(0), Gf(0)] => Ok(found as u32),
        _ => Err(DecodeError::StillWrong),
    }
}

/// The check symbols of a message.
#[routine]
pub fn rs_encode(message: &[u8]) -> [u8; 8] {
    checks_of(message)
}

/// Corrects a block in place: how many errors there were, or less than 0 where there were too many.
#[routine]
pub fn rs_correct(block: &mut [u8]) -> i32 {
    match correct(block) {
        Ok(errors) => errors as i32,
        Err(DecodeError::TooShort) => -1,
        Err(DecodeError::TooManyErrors { degree, found }) => -100 - i32::from(degree) * 10 - i32::from(found),
        Err(DecodeError::StillWrong) => -2,
    }
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn blocks_are_corrected() {
        let message = *b"hello, reed solomon";
        let mut block = [0; 27];
        block[..19].copy_from_slice(&message);
        block[19..].copy_from_slice(&rs_encode(&message));
        let whole = block;
        assert_eq!(rs_correct(&mut block), 0);
        for errors in 1..=4 {
            for i in 0..errors {
                block[(i * 7 + 3) % 27] ^= 0x5a + i as u8;
            }
            assert_eq!(rs_correct(&mut block), errors as i32);
            assert_eq!(block, whole);
        }
        for i in 0..6 {
            block[i * 4] ^= 0x11;
        }
        assert!(rs_correct(&mut block) < 0);
        assert_eq!(rs_correct(&mut [1; 8]), -1);
    }
}
