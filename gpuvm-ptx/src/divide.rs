//! Division of integers by constants: a product with the divisor's reciprocal, a few instructions where NVIDIA's assembler takes twenty for words
//! and calls a function for pairs of them, whatever it knows of the divisor. The reciprocals are those of Granlund and Montgomery, "Division by
//! invariant integers using multiplication" (1994).

use naga::BinaryOperator;

use crate::operand::{Operand, Ty};
use crate::translator::Translator;

/// A quotient by a divisor of `x` of some bits: the high half of the product of `x` and the multiplier, shifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reciprocal {
    multiplier: u128,
    shift: u32,
}

impl Translator<'_> {
    /// A quotient by a constant, if it is better had by multiplication: by all but 0 and, of signed ones, −1 and the least.
    pub fn quotient_by(&mut self, ty: Ty, x: Operand, divisor: Operand) -> Option<Operand> {
        let divisor = divisor.constant()?;
        let quotient = match ty.is_signed() {
            true => self.signed_quotient_by(ty, x, divisor)?,
            false => self.unsigned_quotient_by(ty, x, divisor)?,
        };
        if ty == Ty::U32 {
            let most = self.bounds.get(&x).copied().unwrap_or(u32::MAX);
            self.bounds.insert(quotient, most / divisor as u32);
        }
        Some(quotient)
    }

    /// The same of a remainder.
    pub fn remainder_by(&mut self, ty: Ty, x: Operand, divisor: Operand) -> Option<Operand> {
        let by = divisor.constant()?;
        let remainder = if !ty.is_signed() && by.is_power_of_two() {
            self.text.op("and", ty.bits(), &[x, ty.integer(by - 1)])
        } else {
            let quotient = self.quotient_by(ty, x, divisor)?;
            let whole = self.product(ty, quotient, divisor);
            self.sum(BinaryOperator::Subtract, ty, x, whole)
        };
        if ty == Ty::U32 {
            self.bounds.insert(remainder, by as u32 - 1);
        }
        Some(remainder)
    }

    fn unsigned_quotient_by(&mut self, ty: Ty, x: Operand, divisor: u64) -> Option<Operand> {
        let bits = ty.width().bits();
        if divisor == 0 {
            return None;
        }
        if divisor.is_power_of_two() {
            return Some(self.shifted_by(ty, x, divisor.trailing_zeros()));
        }
        if divisor > 1 << (bits - 1) {
            let is_less = self.text.compare("lt", ty, x, ty.integer(divisor));
            return Some(self.text.select(is_less, Operand::zero(ty), ty.integer(1)));
        }
        let most = self.bounds.get(&x);
        let of = most.map_or(bits, |most| u32::BITS - most.leading_zeros()).max(1);
        let direct = Reciprocal::new(divisor, bits, of);
        if let Some(multiplier) = direct.fitting(bits) {
            let high = self.high_product(ty, x, multiplier);
            return Some(self.shifted_by(ty, high, direct.shift));
        }
        let even = divisor.trailing_zeros();
        if even > 0 {
            let halved = Reciprocal::new(divisor >> even, bits, bits - even);
            if let Some(multiplier) = halved.fitting(bits) {
                let half = self.shifted_by(ty, x, even);
                let high = self.high_product(ty, half, multiplier);
                return Some(self.shifted_by(ty, high, halved.shift));
            }
        }
        // The multiplier has one bit more: `(x + high) / 2`, without that the sum overflows.
        let high = self.high_product(ty, x, direct.multiplier as u64);
        let rest = self.sum(BinaryOperator::Subtract, ty, x, high);
        let half = self.shifted_by(ty, rest, 1);
        let mean = self.sum(BinaryOperator::Add, ty, half, high);
        Some(self.shifted_by(ty, mean, direct.shift - 1))
    }

    fn signed_quotient_by(&mut self, ty: Ty, x: Operand, divisor: u64) -> Option<Operand> {
        let bits = ty.width().bits();
        let divisor = match bits {
            64 => divisor as i64,
            _ => i64::from(divisor as i32),
        };
        let size = divisor.unsigned_abs();
        if matches!(divisor, -1 | 0) || size == 1 << (bits - 1) {
            return None;
        }
        let quotient = if divisor == 1 {
            x
        } else if size.is_power_of_two() {
            // Of a negative one, what the shift would round down.
            let log = size.trailing_zeros();
            let sign = self.shifted_by(ty, x, bits - 1);
            let unsigned = if bits == 64 { Ty::U64 } else { Ty::U32 };
            let less = self.shifted_by(unsigned, sign, bits - log);
            let sum = self.sum(BinaryOperator::Add, ty, x, less);
            self.shifted_by(ty, sum, log)
        } else {
            let reciprocal = Reciprocal::new(size, bits, bits - 1);
            let mut high = self.high_product(ty, x, reciprocal.multiplier as u64);
            if reciprocal.multiplier >> (bits - 1) != 0 {
                // The multiplier is negative as one of this type.
                high = self.sum(BinaryOperator::Add, ty, high, x);
            }
            let down = self.shifted_by(ty, high, reciprocal.shift);
            let sign = self.shifted_by(ty, x, bits - 1);
            self.sum(BinaryOperator::Subtract, ty, down, sign)
        };
        Some(match divisor < 0 {
            true => self.sum(BinaryOperator::Subtract, ty, Operand::zero(ty), quotient),
            false => quotient,
        })
    }

    /// The high half of a product.
    fn high_product(&mut self, ty: Ty, x: Operand, multiplier: u64) -> Operand {
        self.text.op("mul.hi", ty, &[x, ty.integer(multiplier)])
    }

    fn shifted_by(&mut self, ty: Ty, x: Operand, by: u32) -> Operand {
        match by {
            0 => x,
            _ => self.shifted(false, ty, x, Operand::ConstWord(by)),
        }
    }
}

impl Reciprocal {
    /// The one with the smallest multiplier for dividends of so many bits, in a type of `bits`. The divisor is not 0, and not above half of the type's range.
    fn new(divisor: u64, bits: u32, of: u32) -> Reciprocal {
        let divisor = u128::from(divisor);
        let mut shift = divisor.next_power_of_two().trailing_zeros();
        let one = 1_u128 << (bits + shift);
        let (mut low, mut high) = (one / divisor, (one + (one >> of)) / divisor);
        while low / 2 < high / 2 && shift > 0 {
            (low, high, shift) = (low / 2, high / 2, shift - 1);
        }
        Reciprocal {
            multiplier: high,
            shift,
        }
    }

    /// The multiplier, if it has no more than so many bits.
    fn fitting(&self, bits: u32) -> Option<u64> {
        (self.multiplier >> bits == 0).then_some(self.multiplier as u64)
    }
}
