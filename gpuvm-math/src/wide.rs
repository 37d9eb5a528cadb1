//! What takes more than a few instructions of `u128` and `i128`: products, quotients, shifts by variables, roots, and conversions from and to
//! `f32`, over 64-bit halves. Nothing in here traps, whatever the arguments.

use gpuvm_macros::routine;

/// The full product of two 64-bit numbers, from the four of their halves.
#[routine(library)]
pub fn widening_mul(a: u64, b: u64) -> u128 {
    let (a_low, a_high) = (a as u32 as u64, a >> 32);
    let (b_low, b_high) = (b as u32 as u64, b >> 32);
    let low = a_low.wrapping_mul(b_low);
    // Neither sum overflows: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
    let middle = a_low.wrapping_mul(b_high).wrapping_add(low >> 32);
    let other = a_high.wrapping_mul(b_low).wrapping_add(middle as u32 as u64);
    let high = a_high
        .wrapping_mul(b_high)
        .wrapping_add(middle >> 32)
        .wrapping_add(other >> 32);
    (high as u128) << 64 | ((other << 32) | (low as u32 as u64)) as u128
}

/// `a * b`, wrapped.
#[routine(library)]
pub fn mul_u128(a: u128, b: u128) -> u128 {
    let (a_low, a_high) = (a as u64, (a >> 64) as u64);
    let (b_low, b_high) = (b as u64, (b >> 64) as u64);
    let low = widening_mul(a_low, b_low);
    let cross = a_high.wrapping_mul(b_low).wrapping_add(a_low.wrapping_mul(b_high));
    low.wrapping_add((cross as u128) << 64)
}

/// `a * b`, wrapped, and whether the exact product does not fit.
#[routine(library)]
pub fn overflowing_mul_u128(a: u128, b: u128) -> (u128, bool) {
    let (a_low, a_high) = (a as u64, (a >> 64) as u64);
    let (b_low, b_high) = (b as u64, (b >> 64) as u64);
    let low = widening_mul(a_low, b_low);
    // Where both have a high half the product does not fit; else one of these is 0.
    let (first, first_over) = a_high.overflowing_mul(b_low);
    let (second, second_over) = a_low.overflowing_mul(b_high);
    let (product, carry) = low.overflowing_add((first.wrapping_add(second) as u128) << 64);
    let both = (a_high != 0) & (b_high != 0);
    (product, both | first_over | second_over | carry)
}

/// The distance from zero.
#[routine(library)]
pub fn magnitude(a: i128) -> u128 {
    if a < 0 { a.wrapping_neg() as u128 } else { a as u128 }
}

/// `a * b`, wrapped, and whether the exact product does not fit.
#[routine(library)]
pub fn overflowing_mul_i128(a: i128, b: i128) -> (i128, bool) {
    let (size, over) = overflowing_mul_u128(magnitude(a), magnitude(b));
    let negative = (a < 0) != (b < 0);
    let product = (if negative { size.wrapping_neg() } else { size }) as i128;
    // 2^127 fits only with a sign.
    (product, over | (((product < 0) != negative) & (product != 0)))
}

/// One digit of a quotient in base 2^32: what two digits and one more are divided by, normalised, gives at most that and at least two less
/// than the estimate of the leading digits (Knuth, The Art of Computer Programming, 4.3.1, algorithm D).
#[routine(library)]
pub fn digit(high: u64, next: u64, divisor: u64) -> u64 {
    let (first, second) = (divisor >> 32, divisor as u32 as u64);
    let mut quotient = high / first;
    let mut rest = high.wrapping_sub(quotient.wrapping_mul(first));
    while quotient >> 32 != 0 || quotient.wrapping_mul(second) > (rest << 32 | next) {
        quotient = quotient.wrapping_sub(1);
        rest = rest.wrapping_add(first);
        if rest >> 32 != 0 {
            break;
        }
    }
    quotient
}

/// `high * 2^64 + low` divided by `divisor`, which is more than `high`, and the remainder.
#[routine(library)]
pub fn div_rem_narrow(high: u64, low: u64, divisor: u64) -> (u64, u64) {
    let by = divisor.leading_zeros();
    let divisor = divisor.wrapping_shl(by);
    let high = high.wrapping_shl(by) | (low >> 1).wrapping_shr(63 ^ by);
    let low = low.wrapping_shl(by);
    let (third, fourth) = (low >> 32, low as u32 as u64);
    let upper = digit(high, third, divisor);
    let rest = (high << 32 | third).wrapping_sub(upper.wrapping_mul(divisor));
    let lower = digit(rest, fourth, divisor);
    let rest = (rest << 32 | fourth).wrapping_sub(lower.wrapping_mul(divisor));
    (upper << 32 | lower, rest.wrapping_shr(by))
}

/// `a / b` and `a % b`; 0 and 0 if `b` is 0.
#[routine(library)]
pub fn div_rem_u128(a: u128, b: u128) -> (u128, u128) {
    let (a_low, a_high) = (a as u64, (a >> 64) as u64);
    let (b_low, b_high) = (b as u64, (b >> 64) as u64);
    if b_high == 0 {
        if b_low == 0 {
            return (0, 0);
        }
        if a_high == 0 {
            return ((a_low / b_low) as u128, (a_low % b_low) as u128);
        }
        let (upper, rest) = (a_high / b_low, a_high % b_low);
        let (lower, rest) = div_rem_narrow(rest, a_low, b_low);
        return ((upper as u128) << 64 | lower as u128, rest as u128);
    }
    // The quotient by the leading 64 bits of the divisor is the quotient or one more (Warren, Hacker's Delight, 9-5); what is taken off for
    // that is put back where it was not so.
    let by = b_high.leading_zeros();
    let leading = (shl_u128(b, by) >> 64) as u64;
    let half = a >> 1;
    let (estimate, _) = div_rem_narrow((half >> 64) as u64, half as u64, leading);
    let quotient = estimate.wrapping_shr(63 ^ by).saturating_sub(1);
    let rest = a.wrapping_sub(mul_u128(quotient as u128, b));
    if rest >= b {
        ((quotient as u128).wrapping_add(1), rest.wrapping_sub(b))
    } else {
        (quotient as u128, rest)
    }
}

/// `a / b`; 0 if `b` is 0.
#[routine(library)]
pub fn div_u128(a: u128, b: u128) -> u128 {
    div_rem_u128(a, b).0
}

/// `a % b`; 0 if `b` is 0.
#[routine(library)]
pub fn rem_u128(a: u128, b: u128) -> u128 {
    div_rem_u128(a, b).1
}

/// `a / b`, wrapped; 0 if `b` is 0.
#[routine(library)]
pub fn div_i128(a: i128, b: i128) -> i128 {
    let quotient = div_rem_u128(magnitude(a), magnitude(b)).0 as i128;
    if (a < 0) != (b < 0) {
        quotient.wrapping_neg()
    } else {
        quotient
    }
}

/// `a % b`; 0 if `b` is 0.
#[routine(library)]
pub fn rem_i128(a: i128, b: i128) -> i128 {
    let rest = div_rem_u128(magnitude(a), magnitude(b)).1 as i128;
    if a < 0 { rest.wrapping_neg() } else { rest }
}

/// `a << (by mod 128)`.
#[routine(library)]
pub fn shl_u128(a: u128, by: u32) -> u128 {
    let (low, high) = (a as u64, (a >> 64) as u64);
    let shifted = low.wrapping_shl(by);
    if by & 64 != 0 {
        return (shifted as u128) << 64;
    }
    let high = high.wrapping_shl(by) | (low >> 1).wrapping_shr(!by);
    (high as u128) << 64 | shifted as u128
}

/// `a >> (by mod 128)`, zeros enter.
#[routine(library)]
pub fn shr_u128(a: u128, by: u32) -> u128 {
    let (low, high) = (a as u64, (a >> 64) as u64);
    let shifted = high.wrapping_shr(by);
    if by & 64 != 0 {
        return shifted as u128;
    }
    let low = low.wrapping_shr(by) | (high << 1).wrapping_shl(!by);
    (shifted as u128) << 64 | low as u128
}

/// `a >> (by mod 128)`, the sign enters.
#[routine(library)]
pub fn shr_i128(a: i128, by: u32) -> i128 {
    let (low, high) = (a as u64, (a >> 64) as i64);
    let shifted = high.wrapping_shr(by);
    if by & 64 != 0 {
        return shifted as i128;
    }
    let low = low.wrapping_shr(by) | ((high as u64) << 1).wrapping_shl(!by);
    (shifted as i128) << 64 | low as i128
}

/// The whole part of the square root, digit by digit, as [`isqrt_u64`](fn@crate::isqrt_u64) finds it.
#[routine(library)]
pub fn isqrt_u128(value: u128) -> u64 {
    let mut rest = value;
    let mut root = 0u128;
    let mut digit = 1u128 << 126;
    while digit > rest {
        digit >>= 2;
    }
    while digit != 0 {
        let trial = root.wrapping_add(digit);
        root >>= 1;
        if rest >= trial {
            rest = rest.wrapping_sub(trial);
            root = root.wrapping_add(digit);
        }
        digit >>= 2;
    }
    root as u64
}

/// The nearest `f32`, halves to even.
#[routine(library)]
pub fn u128_to_f32(value: u128) -> f32 {
    if value == 0 {
        return 0.0;
    }
    let zeros = value.leading_zeros();
    let leading = shl_u128(value, zeros);
    // 24 bits and the one behind them; everything after that only counts as more than a half.
    let mantissa = (leading >> 104) as u32;
    let half = (leading >> 103) as u32 & 1;
    let beyond = (leading << 25 != 0) as u32;
    // The leading bit of the mantissa is the last of the exponent.
    let bits = (253u32.wrapping_sub(zeros) << 23).wrapping_add(mantissa);
    f32::from_bits(bits.wrapping_add(half & (beyond | (mantissa & 1))))
}

/// The nearest `f32`, halves to even.
#[routine(library)]
pub fn i128_to_f32(value: i128) -> f32 {
    let size = u128_to_f32(magnitude(value));
    if value < 0 { -size } else { size }
}

/// The whole part, or the nearest number that there is; 0 for NaN.
#[routine(library)]
pub fn f32_to_u128(value: f32) -> u128 {
    if value >= 1.0 {
        let bits = value.to_bits();
        let exponent = (bits >> 23).wrapping_sub(127);
        if exponent == 128 {
            return u128::MAX;
        }
        let mantissa = ((bits & 0x7f_ffff) | 0x80_0000) as u128;
        return shr_u128(mantissa << 104, 127u32.wrapping_sub(exponent));
    }
    0
}

/// The whole part, or the nearest number that there is; 0 for NaN.
#[routine(library)]
pub fn f32_to_i128(value: f32) -> i128 {
    let size = f32_to_u128(value.abs());
    if value < 0.0 {
        if size >> 127 != 0 {
            i128::MIN
        } else {
            (size as i128).wrapping_neg()
        }
    } else if size >> 127 != 0 {
        i128::MAX
    } else {
        size as i128
    }
}
