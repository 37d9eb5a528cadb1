//! The decimal digits of floats: the fewest that tell a number from its neighbours, and so many as are wanted, rounded to even. Both are what std gives, digit for
//! digit; the method is that of Steele and White, "How to print floating-point numbers accurately" (1990), with exact numbers throughout.

use gpuvm_macros::routine;

use super::big::{compare, compare_sum, digit, multiply, multiply_by_power, shifted};

/// Takes a float of either size apart, of whose bits these are without the sign and which is not 0. `bits`: of the mantissa; `bias`: of the exponent.
///
/// A mantissa, how far it reaches up, an exponent, and whether the float is even: it is `mantissa · 2^exponent`, and the numbers from `mantissa - 1` to
/// `mantissa + above` are nearer to it than to its neighbours, the ends themselves if it is even. What is below is always 1, so a power of two, whose lower
/// neighbour is nearer, has a finer exponent.
#[routine(library)]
pub fn apart(value: u64, bits: u32, bias: i32) -> (u64, u64, i32, bool) {
    let hidden = 1u64 << bits;
    let fraction = value & hidden.wrapping_sub(1);
    let exponent = (value >> bits) as i32;
    if exponent == 0 {
        // Twice as fine as what it is of, so that there is something between two neighbours. std takes these for even.
        return (fraction << 1, 1, bias.wrapping_neg(), true);
    }
    let is_even = fraction & 1 == 0;
    let mantissa = fraction | hidden;
    let exponent = exponent.wrapping_sub(bias);
    if fraction == 0 {
        (mantissa << 2, 2, exponent.wrapping_sub(2), is_even)
    } else {
        (mantissa << 1, 1, exponent.wrapping_sub(1), is_even)
    }
}

/// Some `k` that the number `mantissa · 2^exponent` is at least `10^(k - 1)` of, and less than `10^(k + 1)`.
#[routine(library)]
fn scale(mantissa: u64, exponent: i32) -> i32 {
    let bits = 64i64.wrapping_sub(mantissa.wrapping_sub(1).leading_zeros() as i64);
    // 2^32 · log10(2), rounded down.
    (bits.wrapping_add(exponent as i64).wrapping_mul(1_292_913_986) >> 32) as i32
}

/// Adds 1 to the last of some digits; whether all were nines, and are a one and zeros now.
#[routine(library)]
fn round_up(digits: &mut [u8; 832], len: usize) -> bool {
    let mut at = len;
    while at > 0 {
        at = at.wrapping_sub(1);
        if digits[at] != b'9' {
            digits[at] = digits[at].wrapping_add(1);
            return false;
        }
        digits[at] = b'0';
    }
    if len > 0 {
        digits[0] = b'1';
    }
    true
}

/// The fewest digits `d` that only this number is nearest to, and the power of ten `k` of `0.d · 10^k`.
#[routine(library)]
pub fn shortest(apart: (u64, u64, i32, bool), digits: &mut [u8; 832]) -> (usize, i32) {
    let (value, distance, exponent, is_even) = apart;
    let (up, down) = (exponent.max(0) as u32, exponent.min(0).wrapping_neg() as u32);
    let mut k = scale(value.wrapping_add(distance), exponent);
    let words = (up.max(down).wrapping_add(64) / 32).wrapping_add(2) as usize;
    let mut mantissa = shifted(value, up);
    let mut below = shifted(1, up);
    let mut above = shifted(distance, up);
    let mut divisor = shifted(1, down);
    if k >= 0 {
        multiply_by_power(&mut divisor, words, k as u32);
    } else {
        let power = k.wrapping_neg() as u32;
        multiply_by_power(&mut mantissa, words, power);
        multiply_by_power(&mut below, words, power);
        multiply_by_power(&mut above, words, power);
    }
    // The ends belong to a number that is even.
    let least = if is_even { 1u32 } else { 2u32 };
    if compare_sum(&mantissa, &above, &divisor, words) >= least {
        k = k.wrapping_add(1);
    } else {
        multiply(&mut mantissa, words, 10);
        multiply(&mut below, words, 10);
        multiply(&mut above, words, 10);
    }
    let mut len = 0usize;
    loop {
        digits[len] = digit(&mut mantissa, &divisor, words) as u8 | b'0';
        len = len.wrapping_add(1);
        let is_low = compare(&below, &mantissa, words) >= least;
        let is_high = compare_sum(&mantissa, &above, &divisor, words) >= least;
        if is_low || is_high {
            // Of both, what is nearer, and of two as near the upper one.
            if is_high && (!is_low || compare_sum(&mantissa, &mantissa, &divisor, words) >= 1) && round_up(digits, len)
            {
                digits[len] = b'0';
                len = len.wrapping_add(1);
                k = k.wrapping_add(1);
            }
            return (len, k);
        }
        multiply(&mut mantissa, words, 10);
        multiply(&mut below, words, 10);
        multiply(&mut above, words, 10);
    }
}

/// At most `room` digits `d`, those before the place `10^limit`, and the power of ten `k` of `0.d · 10^k`. Behind the exact ones stand zeros.
#[routine(library)]
pub fn exact(apart: (u64, u64, i32, bool), room: usize, limit: i32, digits: &mut [u8; 832]) -> (usize, i32) {
    let (value, _, exponent, _) = apart;
    let (up, down) = (exponent.max(0) as u32, exponent.min(0).wrapping_neg() as u32);
    let mut k = scale(value, exponent);
    let words = (up.max(down).wrapping_add(64) / 32).wrapping_add(2) as usize;
    let mut mantissa = shifted(value, up);
    let mut divisor = shifted(1, down);
    if k >= 0 {
        multiply_by_power(&mut divisor, words, k as u32);
    } else {
        multiply_by_power(&mut mantissa, words, k.wrapping_neg() as u32);
    }
    if compare(&mantissa, &divisor, words) >= 1 {
        k = k.wrapping_add(1);
    } else {
        multiply(&mut mantissa, words, 10);
    }
    let wanted = k.wrapping_sub(limit).max(0) as usize;
    let mut len = if wanted < room { wanted } else { room };
    let mut at = 0usize;
    while at < len {
        digits[at] = digit(&mut mantissa, &divisor, words) as u8 | b'0';
        multiply(&mut mantissa, words, 10);
        at = at.wrapping_add(1);
    }
    // Half of the last place and more goes up, exactly half to even.
    multiply(&mut divisor, words, 5);
    let rest = compare(&mantissa, &divisor, words);
    let is_odd = len > 0 && digits[len.wrapping_sub(1)] & 1 == 1;
    if (rest == 2 || rest == 1 && is_odd) && round_up(digits, len) {
        k = k.wrapping_add(1);
        if k > limit && len < room {
            digits[len] = if len > 0 { b'0' } else { b'1' };
            len = len.wrapping_add(1);
        }
    }
    (len, k)
}
