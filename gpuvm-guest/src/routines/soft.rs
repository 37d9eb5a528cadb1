//! IEEE 754 arithmetic in integers, with the flags and rounding modes that a guest's machine has and Rust has not.
//!
//! One code for every format: a number is taken apart into a sign, an exponent and a significand of 64 bits whose top bit is set, computed with, and rounded once.
//! Bits that are shifted out are kept as one that is set if any of them was ("jamming", as in Hauser's SoftFloat).

use gpuvm::prelude::*;

/// Not exact.
pub const INEXACT: u32 = 1;
/// Tiny, and not exact.
pub const UNDERFLOW: u32 = 2;
/// Larger than all numbers.
pub const OVERFLOW: u32 = 4;
/// Divided by zero.
pub const DIVIDED: u32 = 8;
/// No number can be the result.
pub const INVALID: u32 = 16;

/// To the nearest number, of two the even one.
pub const NEAREST: u32 = 0;
/// Towards zero.
pub const ZERO: u32 = 1;
/// Downwards.
pub const DOWN: u32 = 2;
/// Upwards.
pub const UP: u32 = 3;
/// To the nearest number, of two the one that is farther from zero.
pub const AWAY: u32 = 4;

/// A format of floating point numbers.
#[derive(VmType, Clone, Copy)]
pub(crate) struct Format {
    /// Bits of the fraction.
    pub fraction: u32,
    /// What is added to an exponent.
    pub bias: i32,
    /// The place of the sign.
    pub sign: u32,
}

/// `f16`.
pub(crate) const HALF: Format = Format {
    fraction: 10,
    bias: 15,
    sign: 15,
};
/// `f32`.
pub(crate) const SINGLE: Format = Format {
    fraction: 23,
    bias: 127,
    sign: 31,
};
/// `f64`.
pub(crate) const DOUBLE: Format = Format {
    fraction: 52,
    bias: 1023,
    sign: 63,
};

#[routine]
impl Format {
    /// The largest exponent field, that of infinities and NaNs.
    pub fn top(self) -> u64 {
        (self.bias as u64) << 1 | 1
    }

    pub fn negative(self, bits: u64) -> bool {
        bits >> self.sign & 1 != 0
    }

    pub fn signed(self, negative: bool, bits: u64) -> u64 {
        bits | u64::from(negative) << self.sign
    }

    pub fn infinity(self, negative: bool) -> u64 {
        self.signed(negative, self.top() << self.fraction)
    }

    /// The bit that tells a quiet NaN.
    pub fn quiet(self) -> u64 {
        1 << (self.fraction - 1)
    }

    /// The NaN that operations give.
    pub fn nan(self) -> u64 {
        self.infinity(false) | self.quiet()
    }

    fn magnitude(self, bits: u64) -> u64 {
        bits & ((1u64 << self.sign) - 1)
    }

    pub fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity(false)
    }

    pub fn is_signalling(self, bits: u64) -> bool {
        self.is_nan(bits) && bits & self.quiet() == 0
    }

    pub fn is_infinite(self, bits: u64) -> bool {
        self.magnitude(bits) == self.infinity(false)
    }

    pub fn is_zero(self, bits: u64) -> bool {
        self.magnitude(bits) == 0
    }

    /// A finite number's parts. Zero has no significand.
    fn parts(self, bits: u64) -> Parts {
        let fraction = bits & ((1u64 << self.fraction) - 1);
        let field = (bits >> self.fraction & self.top()) as i32;
        let negative = self.negative(bits);
        if field == 0 {
            let zeros = fraction.leading_zeros();
            return Parts {
                negative,
                exponent: 64 - self.bias - self.fraction as i32 - zeros as i32,
                significand: fraction.wrapping_shl(zeros),
            };
        }
        Parts {
            negative,
            exponent: field - self.bias,
            significand: (fraction | 1u64 << self.fraction) << (63 - self.fraction),
        }
    }
}

/// `significand * 2^(exponent - 63)`, where the significand's top bit is set.
#[derive(VmType, Clone, Copy)]
struct Parts {
    negative: bool,
    exponent: i32,
    significand: u64,
}

/// Shifts right and keeps whether anything was lost.
#[routine(callee)]
fn jammed(value: u64, by: u32) -> u64 {
    if by > 63 {
        return u64::from(value != 0);
    }
    value >> by | u64::from(value & ((1u64 << by) - 1) != 0)
}

#[routine(callee)]
fn jammed_wide(value: u128, by: u32) -> u128 {
    if by > 127 {
        return u128::from(value != 0);
    }
    value >> by | u128::from(value & ((1u128 << by) - 1) != 0)
}

/// A floating point unit: how it rounds, and the flags that have come up.
#[derive(VmType, Clone, Copy)]
pub(crate) struct Unit {
    /// One of the modes above.
    pub rounding: u32,
    /// The flags.
    pub flags: u32,
    /// NaNs go on with their payload and a result is tiny before rounding, as on ARM; else a NaN is the one of the format, and a result is tiny after rounding.
    pub arm: bool,
}

#[routine]
impl Unit {
    fn raise(&mut self, flags: u32) {
        self.flags |= flags;
    }

    /// Whether the last bits go up, if they are `rest` of 2^64 beside the number `kept`.
    fn goes_up(&self, negative: bool, kept: u64, rest: u64) -> bool {
        let half = 1u64 << 63;
        match self.rounding {
            NEAREST => rest > half || rest == half && kept & 1 != 0,
            DOWN => negative && rest != 0,
            UP => !negative && rest != 0,
            AWAY => rest >= half,
            _ => false,
        }
    }

    /// The number of a format that is nearest in the way of rounding.
    fn rounded(&mut self, value: Parts, format: Format) -> u64 {
        let Parts {
            negative,
            exponent,
            significand,
        } = value;
        let least = 1 - format.bias;
        let drop = 63 - format.fraction;
        let below = if exponent < least {
            least.wrapping_sub(exponent) as u32
        } else {
            0
        };
        let total = drop.wrapping_add(below);
        let (kept, rest) = if total < 64 {
            (significand >> total, significand << (64 - total))
        } else if total == 64 {
            (0, significand)
        } else {
            (0, 1)
        };
        let mut up = self.goes_up(negative, kept, rest);
        if below != 0 && rest != 0 {
            let mut tiny = true;
            if !self.arm && below == 1 {
                // With the exponents that there are not it might be the least normal number.
                let (kept, rest) = (significand >> drop, significand << (64 - drop));
                let whole = kept.wrapping_add(u64::from(self.goes_up(negative, kept, rest)));
                tiny = whole >> (format.fraction + 1) == 0;
            }
            if tiny {
                self.raise(UNDERFLOW);
            }
        }
        if rest != 0 {
            self.raise(INEXACT);
        } else {
            up = false;
        }
        let field = if below != 0 {
            0
        } else {
            exponent.wrapping_add(format.bias).wrapping_sub(1)
        };
        if field >= format.top() as i32 {
            return self.overflowed(negative, format);
        }
        let bits = ((field as u64) << format.fraction)
            .wrapping_add(kept)
            .wrapping_add(u64::from(up));
        if bits >= format.infinity(false) {
            return self.overflowed(negative, format);
        }
        format.signed(negative, bits)
    }

    fn overflowed(&mut self, negative: bool, format: Format) -> u64 {
        self.raise(OVERFLOW | INEXACT);
        let infinite = match self.rounding {
            ZERO => false,
            DOWN => negative,
            UP => !negative,
            _ => true,
        };
        format.infinity(negative) - u64::from(!infinite)
    }

    fn invalid(&mut self, format: Format) -> u64 {
        self.raise(INVALID);
        format.nan()
    }

    /// The NaN that comes of two operands of which one at least is a NaN.
    pub fn nan_of(&mut self, a: u64, b: u64, format: Format) -> u64 {
        let (first, second) = (format.is_signalling(a), format.is_signalling(b));
        if first || second {
            self.raise(INVALID);
        }
        if !self.arm {
            return format.nan();
        }
        let chosen = if first || !second && format.is_nan(a) { a } else { b };
        chosen | format.quiet()
    }

    /// The sum of two numbers that are finite.
    pub fn add(&mut self, a: u64, b: u64, format: Format) -> u64 {
        if format.is_nan(a) || format.is_nan(b) {
            return self.nan_of(a, b, format);
        }
        let (left, right) = (format.negative(a), format.negative(b));
        if format.is_infinite(a) {
            return if format.is_infinite(b) && left != right {
                self.invalid(format)
            } else {
                a
            };
        }
        if format.is_infinite(b) {
            return b;
        }
        if format.is_zero(a) || format.is_zero(b) {
            if !format.is_zero(a) {
                return a;
            }
            if !format.is_zero(b) || left == right {
                return b;
            }
            return format.signed(self.rounding == DOWN, 0);
        }
        let (mut high, mut low) = (format.parts(a), format.parts(b));
        if low.exponent > high.exponent || low.exponent == high.exponent && low.significand > high.significand {
            (high, low) = (low, high);
        }
        let shifted = jammed(low.significand >> 1, high.exponent.wrapping_sub(low.exponent) as u32);
        let whole = high.significand >> 1;
        let sum = if left == right {
            whole.wrapping_add(shifted)
        } else {
            whole.wrapping_sub(shifted)
        };
        if sum == 0 {
            return format.signed(self.rounding == DOWN, 0);
        }
        let zeros = sum.leading_zeros();
        let parts = Parts {
            negative: high.negative,
            exponent: high.exponent.wrapping_add(1).wrapping_sub(zeros as i32),
            significand: sum << zeros,
        };
        self.rounded(parts, format)
    }

    /// The difference. A NaN keeps its sign.
    pub fn subtract(&mut self, a: u64, b: u64, format: Format) -> u64 {
        if format.is_nan(b) {
            return self.add(a, b, format);
        }
        self.add(a, b ^ 1u64 << format.sign, format)
    }

    /// The product.
    pub fn multiply(&mut self, a: u64, b: u64, format: Format) -> u64 {
        if format.is_nan(a) || format.is_nan(b) {
            return self.nan_of(a, b, format);
        }
        let negative = format.negative(a) != format.negative(b);
        if format.is_infinite(a) || format.is_infinite(b) {
            if format.is_zero(a) || format.is_zero(b) {
                return self.invalid(format);
            }
            return format.infinity(negative);
        }
        if format.is_zero(a) || format.is_zero(b) {
            return format.signed(negative, 0);
        }
        let (a, b) = (format.parts(a), format.parts(b));
        let product = u128::from(a.significand).wrapping_mul(u128::from(b.significand));
        let significand = (product >> 64) as u64 | u64::from(product as u64 != 0);
        let zeros = significand.leading_zeros();
        let parts = Parts {
            negative,
            exponent: a
                .exponent
                .wrapping_add(b.exponent)
                .wrapping_add(1)
                .wrapping_sub(zeros as i32),
            significand: significand << zeros,
        };
        self.rounded(parts, format)
    }

    /// `a * b + c`, rounded once.
    pub fn multiply_add(&mut self, a: u64, b: u64, c: u64, format: Format) -> u64 {
        let impossible = format.is_infinite(a) && format.is_zero(b) || format.is_zero(a) && format.is_infinite(b);
        if format.is_nan(a) || format.is_nan(b) || format.is_nan(c) {
            return self.nan_of_three(a, b, c, impossible, format);
        }
        let negative = format.negative(a) != format.negative(b);
        if impossible {
            return self.invalid(format);
        }
        if format.is_infinite(a) || format.is_infinite(b) {
            if format.is_infinite(c) && format.negative(c) != negative {
                return self.invalid(format);
            }
            return format.infinity(negative);
        }
        if format.is_infinite(c) {
            return c;
        }
        if format.is_zero(a) || format.is_zero(b) {
            if format.is_zero(c) && format.negative(c) != negative {
                return format.signed(self.rounding == DOWN, 0);
            }
            return c;
        }
        let (a, b) = (format.parts(a), format.parts(b));
        let product = u128::from(a.significand).wrapping_mul(u128::from(b.significand)) >> 1;
        // The exponent of bit 126.
        let exponent = a.exponent.wrapping_add(b.exponent).wrapping_add(1);
        let mut sum = product;
        let mut top = exponent;
        let mut sign = negative;
        if !format.is_zero(c) {
            let c = format.parts(c);
            let addend = u128::from(c.significand) << 63;
            let apart = exponent.wrapping_sub(c.exponent);
            let (mut high, mut low) = (product, addend);
            if apart < 0 {
                high = jammed_wide(product, apart.wrapping_neg() as u32);
                top = c.exponent;
            } else {
                low = jammed_wide(addend, apart as u32);
            }
            if c.negative == negative {
                sum = high.wrapping_add(low);
            } else if high >= low {
                sum = high.wrapping_sub(low);
            } else {
                sum = low.wrapping_sub(high);
                sign = c.negative;
            }
        }
        if sum == 0 {
            return format.signed(self.rounding == DOWN, 0);
        }
        let zeros = sum.leading_zeros();
        sum <<= zeros;
        let parts = Parts {
            negative: sign,
            exponent: top.wrapping_add(1).wrapping_sub(zeros as i32),
            significand: (sum >> 64) as u64 | u64::from(sum as u64 != 0),
        };
        self.rounded(parts, format)
    }

    fn nan_of_three(&mut self, a: u64, b: u64, c: u64, impossible: bool, format: Format) -> u64 {
        let signals = format.is_signalling(a) || format.is_signalling(b) || format.is_signalling(c);
        if signals || impossible {
            self.raise(INVALID);
        }
        if !self.arm || impossible && !format.is_signalling(c) {
            return format.nan();
        }
        // ARM looks at the addend first.
        let mut chosen = b;
        if format.is_signalling(c) {
            chosen = c;
        } else if format.is_signalling(a) {
            chosen = a;
        } else if !format.is_signalling(b) {
            if format.is_nan(c) {
                chosen = c;
            } else if format.is_nan(a) {
                chosen = a;
            }
        }
        chosen | format.quiet()
    }

    /// The quotient.
    pub fn divide(&mut self, a: u64, b: u64, format: Format) -> u64 {
        if format.is_nan(a) || format.is_nan(b) {
            return self.nan_of(a, b, format);
        }
        let negative = format.negative(a) != format.negative(b);
        if format.is_infinite(a) {
            return if format.is_infinite(b) {
                self.invalid(format)
            } else {
                format.infinity(negative)
            };
        }
        if format.is_zero(b) {
            if format.is_zero(a) {
                return self.invalid(format);
            }
            self.raise(DIVIDED);
            return format.infinity(negative);
        }
        if format.is_zero(a) || format.is_infinite(b) {
            return format.signed(negative, 0);
        }
        let (a, b) = (format.parts(a), format.parts(b));
        let divisor = b.significand >> 1;
        let mut rest = a.significand >> 1;
        let mut quotient = 0u64;
        // Two bits more than are kept, as the first may be 0, and one that tells half.
        let bits = format.fraction + 3;
        for _ in 0..bits {
            quotient <<= 1;
            if rest >= divisor {
                rest = rest.wrapping_sub(divisor);
                quotient |= 1;
            }
            rest <<= 1;
        }
        let zeros = quotient.leading_zeros();
        let parts = Parts {
            negative,
            exponent: (a.exponent.wrapping_sub(b.exponent)).wrapping_add(64 - bits as i32 - zeros as i32),
            significand: quotient << zeros | u64::from(rest != 0),
        };
        self.rounded(parts, format)
    }

    /// The square root.
    pub fn square_root(&mut self, a: u64, format: Format) -> u64 {
        if format.is_nan(a) {
            return self.nan_of(a, a, format);
        }
        if format.is_zero(a) {
            return a;
        }
        if format.negative(a) {
            return self.invalid(format);
        }
        if format.is_infinite(a) {
            return a;
        }
        let a = format.parts(a);
        // Two bits before the point.
        let mut digits = if a.exponent & 1 != 0 {
            a.significand
        } else {
            a.significand >> 1
        };
        let (mut rest, mut root) = (0u64, 0u64);
        let bits = format.fraction + 3;
        for _ in 0..bits {
            rest = rest << 2 | digits >> 62;
            digits <<= 2;
            let trial = root << 2 | 1;
            root <<= 1;
            if rest >= trial {
                rest = rest.wrapping_sub(trial);
                root |= 1;
            }
        }
        let parts = Parts {
            negative: false,
            exponent: a.exponent >> 1,
            significand: root << (64 - bits) | u64::from(rest != 0),
        };
        self.rounded(parts, format)
    }

    /// A number of one format in another.
    pub fn convert(&mut self, a: u64, from: Format, to: Format) -> u64 {
        let negative = from.negative(a);
        if from.is_nan(a) {
            if from.is_signalling(a) {
                self.raise(INVALID);
            }
            if !self.arm {
                return to.nan();
            }
            // The top of the payload goes along.
            let payload = (a | from.quiet()) << (63 - from.fraction) << 1;
            return to.infinity(negative) | payload >> (63 - to.fraction) >> 1;
        }
        if from.is_infinite(a) {
            return to.infinity(negative);
        }
        if from.is_zero(a) {
            return to.signed(negative, 0);
        }
        self.rounded(from.parts(a), to)
    }

    /// An integer of `64` bits, or a narrower one that was extended, as a number.
    pub fn number(&mut self, value: u64, signed: bool, format: Format) -> u64 {
        self.number_of_fixed(value, signed, 0, format)
    }

    /// The same of an integer with so many bits behind the point.
    pub fn number_of_fixed(&mut self, value: u64, signed: bool, behind: u32, format: Format) -> u64 {
        if value == 0 {
            return 0;
        }
        let negative = signed && value >> 63 != 0;
        let magnitude = if negative { value.wrapping_neg() } else { value };
        let zeros = magnitude.leading_zeros();
        let parts = Parts {
            negative,
            exponent: 63 - zeros as i32 - behind as i32,
            significand: magnitude << zeros,
        };
        self.rounded(parts, format)
    }

    /// A number as an integer of `width` bits, 32 or 64: the nearest in the way of rounding, or the nearest that there is. Of a NaN it is the largest one, or 0 on ARM.
    pub fn integer(&mut self, a: u64, signed: bool, width: u32, format: Format) -> u64 {
        self.fixed(a, signed, width, 0, format)
    }

    /// The same of an integer with so many bits behind the point.
    pub fn fixed(&mut self, a: u64, signed: bool, width: u32, behind: u32, format: Format) -> u64 {
        let most = u64::MAX >> (64 - width);
        let (highest, lowest) = if signed {
            (most >> 1, (most >> 1).wrapping_add(1))
        } else {
            (most, 0)
        };
        let negative = format.negative(a);
        if format.is_nan(a) {
            self.raise(INVALID);
            return if self.arm { 0 } else { highest };
        }
        let limit = if negative { lowest } else { highest };
        if format.is_infinite(a) {
            self.raise(INVALID);
            return limit;
        }
        if format.is_zero(a) {
            return 0;
        }
        let parts = format.parts(a);
        let exponent = parts.exponent.wrapping_add(behind as i32);
        if exponent > 63 {
            self.raise(INVALID);
            return limit;
        }
        let (whole, rest) = if exponent < -1 {
            (0, 1)
        } else if exponent == -1 {
            (0, parts.significand)
        } else if exponent == 63 {
            (parts.significand, 0)
        } else {
            (
                parts.significand >> (63 - exponent),
                parts.significand << (exponent + 1),
            )
        };
        let up = self.goes_up(negative, whole, rest);
        let rounded = whole.wrapping_add(u64::from(up));
        // Both magnitudes that there are: 2^63 is `lowest` as well.
        if up && rounded == 0 || rounded > limit {
            self.raise(INVALID);
            return limit;
        }
        if rest != 0 {
            self.raise(INEXACT);
        }
        (if negative { rounded.wrapping_neg() } else { rounded }) & most
    }

    /// The nearest number that is an integer. `exact` raises the flag if that is another.
    pub fn integral(&mut self, a: u64, exact: bool, format: Format) -> u64 {
        if format.is_nan(a) {
            return self.nan_of(a, a, format);
        }
        if format.is_infinite(a) || format.is_zero(a) {
            return a;
        }
        let parts = format.parts(a);
        if parts.exponent >= format.fraction as i32 {
            return a;
        }
        let (whole, rest) = if parts.exponent < -1 {
            (0, 1)
        } else if parts.exponent == -1 {
            (0, parts.significand)
        } else {
            (
                parts.significand >> (63 - parts.exponent),
                parts.significand << (parts.exponent + 1),
            )
        };
        let rounded = whole.wrapping_add(u64::from(self.goes_up(parts.negative, whole, rest)));
        if exact && rest != 0 {
            self.raise(INEXACT);
        }
        if rounded == 0 {
            return format.signed(parts.negative, 0);
        }
        let zeros = rounded.leading_zeros();
        let result = Parts {
            negative: parts.negative,
            exponent: 63 - zeros as i32,
            significand: rounded << zeros,
        };
        // It fits, so nothing is rounded.
        self.rounded(result, format)
    }

    /// How two numbers compare: 0 for less, 1 for equal, 2 for greater, 3 where one is a NaN, which is invalid if it signals or if all are to be `ordered`.
    pub fn compare(&mut self, a: u64, b: u64, ordered: bool, format: Format) -> u32 {
        if format.is_nan(a) || format.is_nan(b) {
            if ordered || format.is_signalling(a) || format.is_signalling(b) {
                self.raise(INVALID);
            }
            return 3;
        }
        if a == b || format.is_zero(a) && format.is_zero(b) {
            return 1;
        }
        let (left, right) = (format.negative(a), format.negative(b));
        if left != right {
            return if left { 0 } else { 2 };
        }
        if (a < b) != left { 0 } else { 2 }
    }

    /// The smaller or the larger number; −0 is smaller than 0. With a NaN it is the other one.
    pub fn extreme(&mut self, a: u64, b: u64, larger: bool, format: Format) -> u64 {
        if format.is_signalling(a) || format.is_signalling(b) {
            self.raise(INVALID);
            if self.arm {
                return self.nan_of(a, b, format);
            }
        }
        if format.is_nan(a) {
            if format.is_nan(b) {
                return self.nan_of(a, b, format);
            }
            return b;
        }
        if format.is_nan(b) {
            return a;
        }
        let less = if format.is_zero(a) && format.is_zero(b) {
            format.negative(a)
        } else {
            self.compare(a, b, false, format) == 0
        };
        if less != larger { a } else { b }
    }
}
