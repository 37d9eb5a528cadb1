//! Fixed-point numbers with all operators.

use core::fmt;
use core::iter::{Product, Sum};
use core::num::ParseIntError;
use core::ops::*;
use core::str::FromStr;

use gpuvm::prelude::*;

/// A number of `F` bits behind the point.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fixed<const F: u32>(i32);

#[routine]
impl<const F: u32> Fixed<F> {
    pub const ONE: Self = Self(1 << F);
    pub const HALF: Self = Self(1 << (F - 1));

    pub const fn from_bits(bits: i32) -> Self {
        Self(bits)
    }

    pub const fn to_bits(self) -> i32 {
        self.0
    }

    pub const fn trunc(self) -> i32 {
        self.0 >> F
    }

    pub fn fract(self) -> Self {
        Self(self.0 & (Self::ONE.0 - 1))
    }

    pub fn abs(self) -> Self {
        if self < Self::default() { -self } else { self }
    }

    pub fn checked_div(self, other: Self) -> Option<Self> {
        if other.0 == 0 {
            return None;
        }
        let wide = (i64::from(self.0) << F) / i64::from(other.0);
        i32::try_from(wide).ok().map(Self)
    }

    pub fn sqrt(self) -> Self {
        assert!(self.0 >= 0, "the root of {}", self.0);
        Self(((self.0 as u64) << F).isqrt() as i32)
    }
}

macro_rules! binary {
    ($($Op:ident $op:ident $OpAssign:ident $op_assign:ident |$a:ident, $b:ident| $value:expr;)*) => {$(
        #[routine]
        impl<const F: u32> $Op for Fixed<F> {
            type Output = Self;
            fn $op(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($value)
            }
        }

        #[routine]
        impl<const F: u32> $Op<&Fixed<F>> for &Fixed<F> {
            type Output = Fixed<F>;
            fn $op(self, other: &Fixed<F>) -> Fixed<F> {
                (*self).$op(*other)
            }
        }

        #[routine]
        impl<const F: u32> $OpAssign for Fixed<F> {
            fn $op_assign(&mut self, other: Self) {
                *self = (*self).$op(other);
            }
        }
    )*};
}
binary! {
    Add add AddAssign add_assign |a, b| a + b;
    Sub sub SubAssign sub_assign |a, b| a - b;
    Mul mul MulAssign mul_assign |a, b| ((i64::from(a) * i64::from(b)) >> F) as i32;
    Div div DivAssign div_assign |a, b| ((i64::from(a) << F) / i64::from(b)) as i32;
    Rem rem RemAssign rem_assign |a, b| a % b;
    BitAnd bitand BitAndAssign bitand_assign |a, b| a & b;
}

#[routine]
impl<const F: u32> Neg for Fixed<F> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

#[routine]
impl<const F: u32> Shl<u32> for Fixed<F> {
    type Output = Self;
    fn shl(self, by: u32) -> Self {
        Self(self.0 << by)
    }
}

#[routine]
impl<const F: u32> Mul<i32> for Fixed<F> {
    type Output = Self;
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor)
    }
}

#[routine]
impl<const F: u32> From<i16> for Fixed<F> {
    fn from(value: i16) -> Self {
        Self(i32::from(value) << F)
    }
}

#[routine]
impl<const F: u32> From<Fixed<F>> for f64 {
    fn from(value: Fixed<F>) -> f64 {
        f64::from(value.0) / f64::from(1 << F)
    }
}

#[routine]
impl<const F: u32> Sum for Fixed<F> {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}

#[routine]
impl<'a, const F: u32> Sum<&'a Fixed<F>> for Fixed<F> {
    fn sum<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
        iter.copied().sum()
    }
}

#[routine]
impl<const F: u32> Product for Fixed<F> {
    fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ONE, |a, b| a * b)
    }
}

#[routine]
impl<const F: u32> PartialEq<i32> for Fixed<F> {
    fn eq(&self, other: &i32) -> bool {
        self.fract().0 == 0 && self.trunc() == *other
    }
}

#[routine]
impl<const F: u32> FromStr for Fixed<F> {
    type Err = ParseIntError;

    fn from_str(s: &str) -> Result<Self, ParseIntError> {
        let (sign, digits) = match s.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, s),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
        let whole: i32 = whole.parse()?;
        let scale = 10i64.pow(part.len() as u32);
        let part = (part.parse::<i64>()? << F) / scale;
        Ok(Self(sign * ((whole << F) + part as i32)))
    }
}

#[routine]
impl<const F: u32> fmt::Display for Fixed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let magnitude = self.0.unsigned_abs();
        let digits = f.precision().unwrap_or(3);
        let scale = 10u64.pow(digits as u32);
        let part = u64::from(magnitude & ((1 << F) - 1)) * scale >> F;
        write!(f, "{}.{part:0digits$}", magnitude >> F)
    }
}

type Q16 = Fixed<16>;

#[routine]
pub fn fixed_mean(values: [i16; 6]) -> [i32; 4] {
    let numbers = values.map(Q16::from);
    let sum: Q16 = numbers.iter().sum();
    let mean = sum / Q16::from(6);
    let mut deviation = Q16::default();
    for number in &numbers {
        let difference = number - &mean;
        deviation += difference * difference;
    }
    let product: Q16 = numbers
        .into_iter()
        .filter(|&n| n != 0)
        .map(|n| n % Q16::from(3) + Q16::ONE)
        .product();
    [
        mean.to_bits(),
        (deviation / Q16::from(6)).sqrt().to_bits(),
        product.abs().to_bits(),
        (mean << 1).trunc(),
    ]
}

#[routine]
pub fn fixed_text(text: &[u8], out: &mut [u8]) -> f64 {
    use core::fmt::Write;
    let Ok(text) = str::from_utf8(text) else {
        return f64::NAN;
    };
    let Ok(number) = text.trim().parse::<Q16>() else {
        return f64::INFINITY;
    };
    let mut line = Line { out, at: 0 };
    let _ = write!(line, "{number} {number:.1} {}", number * 3);
    number.into()
}

#[derive(VmType)]
struct Line<'a> {
    out: &'a mut [u8],
    at: usize,
}

#[routine]
impl fmt::Write for Line<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        for &byte in s.as_bytes() {
            *self.out.get_mut(self.at).ok_or(fmt::Error)? = byte;
            self.at += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        assert_eq!(fixed_mean([1, 2, 3, 4, 5, 6])[0], 7 << 15);
        let mut out = [b' '; 24];
        assert_eq!(fixed_text(b" -3.25", &mut out), -3.25);
        assert_eq!(&out, b"-3.250 -3.2 -9.750      ");
    }
}
