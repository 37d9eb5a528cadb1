//! `parse` of floats, with std's results: the float that is nearest to what the text says, however many digits that has. All of it is in whole numbers of as
//! many words as it takes, of which the quotient's bits come one by one.

use std::num::ParseFloatError;

use gpuvm_macros::routine;

use super::super::{intrinsics, methods};
use super::as_bytes;
use super::parse::parses;
use crate::facts::{CallFact, Parse};
use crate::types::{Field, Kind, Type, Value, Variant, name_hash};

impl Value for ParseFloatError {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        "ParseFloatError",
        &[Field {
            hash: name_hash("kind"),
            name: "kind",
            ty: &Type::tagged(
                "FloatErrorKind",
                &[Variant::unit("Empty", 0), Variant::unit("Invalid", 1)],
            ),
            refs: 0,
            offset: 0,
        }],
    );
}

/// `number * by + plus`, and how many words that has. The words behind a number are 0.
#[routine(library)]
fn multiply(number: &mut [u32], length: usize, by: u32, plus: u32) -> usize {
    let mut carry = plus as u64;
    let mut at = 0usize;
    while at < length {
        let word = intrinsics::element_mut(&number, at);
        carry = (*word as u64).wrapping_mul(by as u64).wrapping_add(carry);
        *word = carry as u32;
        carry >>= 32;
        at = at.wrapping_add(1);
    }
    if carry == 0 {
        return length;
    }
    *intrinsics::element_mut(&number, length) = carry as u32;
    length.wrapping_add(1)
}

/// The same by a power of 5.
#[routine(library)]
fn multiply_by_power(number: &mut [u32], length: usize, exponent: u32) -> usize {
    let (mut length, mut left) = (length, exponent);
    while left > 0 {
        // 5^13 is the largest that is a word.
        let (by, count) = if left >= 13 { (1_220_703_125u32, 13) } else { (5, 1) };
        length = multiply(number, length, by, 0);
        left = left.wrapping_sub(count);
    }
    length
}

#[routine(library)]
fn bits(number: &[u32], length: usize) -> u32 {
    let zeros = intrinsics::element(&number, length.wrapping_sub(1)).leading_zeros();
    (length as u32).wrapping_mul(32).wrapping_sub(zeros)
}

#[routine(library)]
fn shift_left(number: &mut [u32], length: usize, by: u32) {
    let (words, by) = ((by >> 5) as usize, by & 31);
    let mut at = length;
    let mut high = 0u64;
    loop {
        let low = if at > 0 {
            *intrinsics::element(&&*number, at.wrapping_sub(1)) as u64
        } else {
            0
        };
        *intrinsics::element_mut(&number, at.wrapping_add(words)) = ((high << 32 | low) << by >> 32) as u32;
        if at == 0 {
            break;
        }
        high = low;
        at = at.wrapping_sub(1);
    }
    let mut at = 0usize;
    while at < words {
        *intrinsics::element_mut(&number, at) = 0;
        at = at.wrapping_add(1);
    }
}

#[routine(library)]
fn is_less(a: &[u32], b: &[u32], length: usize) -> bool {
    let mut at = length;
    while at > 0 {
        at = at.wrapping_sub(1);
        let (x, y) = (*intrinsics::element(&a, at), *intrinsics::element(&b, at));
        if x != y {
            return x < y;
        }
    }
    false
}

#[routine(library)]
fn is_zero(number: &[u32], length: usize) -> bool {
    let mut at = 0usize;
    while at < length {
        if *intrinsics::element(&number, at) != 0 {
            return false;
        }
        at = at.wrapping_add(1);
    }
    true
}

/// `a - b`
#[routine(library)]
fn subtract(a: &mut [u32], b: &[u32], length: usize) {
    let mut at = 0usize;
    let mut borrow = 0u32;
    while at < length {
        let word = intrinsics::element_mut(&a, at);
        let by = *intrinsics::element(&b, at);
        let part = word.wrapping_sub(by);
        let is_less = *word < by || part < borrow;
        *word = part.wrapping_sub(borrow);
        borrow = is_less as u32;
        at = at.wrapping_add(1);
    }
}

/// The next word of a quotient, `rest * 2^32 / divisor`, and what is left then. The divisor's first bit is its word's first.
#[routine(library)]
fn next_word(rest: &mut [u32], divisor: &[u32], length: usize) -> u32 {
    let last = length.wrapping_sub(1);
    let (top, high) = (
        *intrinsics::element(&divisor, last),
        *intrinsics::element(&&*rest, last),
    );
    let low = if last > 0 {
        *intrinsics::element(&&*rest, last.wrapping_sub(1))
    } else {
        0
    };
    // Two more than the word is at most.
    let mut word = u32::MAX;
    if high < top {
        word = ((high as u64) << 32 | low as u64).wrapping_div(top as u64) as u32;
    }
    let (mut carry, mut borrow, mut before) = (0u64, 0u32, 0u32);
    let mut at = 0usize;
    while at < length {
        carry = (word as u64)
            .wrapping_mul(*intrinsics::element(&divisor, at) as u64)
            .wrapping_add(carry);
        let by = carry as u32;
        carry >>= 32;
        let place = intrinsics::element_mut(&rest, at);
        let part = before.wrapping_sub(by);
        let is_less = before < by || part < borrow;
        before = *place;
        *place = part.wrapping_sub(borrow);
        borrow = is_less as u32;
        at = at.wrapping_add(1);
    }
    let mut above = before.wrapping_sub(carry as u32).wrapping_sub(borrow);
    while above != 0 {
        word = word.wrapping_sub(1);
        let mut carry = 0u64;
        let mut at = 0usize;
        while at < length {
            let place = intrinsics::element_mut(&rest, at);
            carry = carry
                .wrapping_add(*place as u64)
                .wrapping_add(*intrinsics::element(&divisor, at) as u64);
            *place = carry as u32;
            carry >>= 32;
            at = at.wrapping_add(1);
        }
        above = above.wrapping_add(carry as u32);
    }
    word
}

/// The bits of the float that is nearest to `digits * 10^exponent`, which are not 0: as many as `precision` says, the last one not below
/// `2^least`.
#[routine(library)]
fn nearest(digits: &mut [u32], length: usize, exponent: i32, precision: u32, least: i32) -> u64 {
    let mut divisor = [0u32; 84];
    divisor[0] = 1;
    let (mut length, mut of_divisor) = (length, 1usize);
    if exponent < 0 {
        of_divisor = multiply_by_power(&mut divisor, of_divisor, exponent.wrapping_neg() as u32);
    } else {
        length = multiply_by_power(digits, length, exponent as u32);
    }
    // Both as long as the longer one, in whole words, so that the quotient is between a half and 2.
    let (long, short) = (bits(digits, length), bits(&divisor, of_divisor));
    let words = (if long < short { short } else { long }).wrapping_add(31) >> 5;
    let all = words << 5;
    let words = words as usize;
    shift_left(digits, length, all.wrapping_sub(long));
    shift_left(&mut divisor, of_divisor, all.wrapping_sub(short));
    let scale = (long as i32).wrapping_sub(short as i32).wrapping_add(exponent);
    let is_below = is_less(digits, &divisor, words);
    if !is_below {
        subtract(digits, &divisor, words);
    }
    let wanted = scale.wrapping_sub(precision as i32).wrapping_add(!is_below as i32);
    let unit = if wanted < least { least } else { wanted };
    // One bit more than the float has tells which way to round, and what is left whether that was all.
    let count = scale.wrapping_sub(unit).wrapping_add(1);
    if count < 0 {
        return 0;
    }
    let count = count as u32;
    let high = next_word(digits, &divisor, words) as u64;
    let fraction = high << 32 | next_word(digits, &divisor, words) as u64;
    let quotient = (!is_below as u64) << count | fraction >> 1 >> 63u32.wrapping_sub(count);
    let is_all = fraction << count == 0 && is_zero(digits, words);
    let mut value = quotient >> 1;
    if quotient & 1 == 1 && (value & 1 == 1 || !is_all) {
        value = value.wrapping_add(1);
    }
    // The first bit is not written where the exponent tells it, so it counts one there.
    ((unit.wrapping_sub(least) as u64) << precision.wrapping_sub(1)).wrapping_add(value)
}

/// The bits of what a text says, the sign's among them.
#[routine(library)]
fn number(text: &str, precision: u32, least: i32, infinity: u64) -> Result<u64, ParseFloatError> {
    let bytes = as_bytes(text);
    let length = bytes.len();
    if length == 0 {
        return Err(intrinsics::words(0u32));
    }
    let first = *intrinsics::element(&bytes, 0);
    let mut at = if first == b'+' || first == b'-' { 1usize } else { 0 };
    let hidden = 1u64 << precision.wrapping_sub(1);
    let sign = if first == b'-' {
        infinity.wrapping_add(hidden)
    } else {
        0
    };
    if at == length {
        return Err(intrinsics::words(1u32));
    }
    if *intrinsics::element(&bytes, at) > b'9' {
        let name = intrinsics::part(&bytes, at, length);
        if name.eq_ignore_ascii_case(b"inf") || name.eq_ignore_ascii_case(b"infinity") {
            return Ok(sign | infinity);
        }
        if name.eq_ignore_ascii_case(b"nan") {
            return Ok(sign | infinity | hidden >> 1);
        }
        return Err(intrinsics::words(1u32));
    }
    let mut digits = [0u32; 84];
    let mut words = 0usize;
    // Digits are added nine at a time.
    let (mut part, mut times) = (0u32, 1u32);
    let (mut count, mut exponent) = (0u32, 0i32);
    let (mut is_number, mut has_point, mut has_more) = (false, false, false);
    while at < length {
        let byte = *intrinsics::element(&bytes, at);
        at = at.wrapping_add(1);
        if byte == b'.' && !has_point {
            has_point = true;
            continue;
        }
        if byte < b'0' || byte > b'9' {
            at = at.wrapping_sub(1);
            break;
        }
        is_number = true;
        if count == 768 {
            // No place between two floats has more digits, so of those behind it only matters whether there is one.
            has_more = has_more || byte != b'0';
            exponent = exponent.wrapping_add(!has_point as i32);
            continue;
        }
        exponent = exponent.wrapping_sub(has_point as i32);
        if count > 0 || byte != b'0' {
            part = part.wrapping_mul(10).wrapping_add((byte as u32).wrapping_sub(48));
            times = times.wrapping_mul(10);
            count = count.wrapping_add(1);
        }
        if times == 1_000_000_000 {
            words = multiply(&mut digits, words, times, part);
            part = 0;
            times = 1;
        }
    }
    if !is_number {
        return Err(intrinsics::words(1u32));
    }
    if at < length {
        let mark = *intrinsics::element(&bytes, at);
        at = at.wrapping_add(1);
        let mut is_negative = false;
        if at < length {
            let byte = *intrinsics::element(&bytes, at);
            is_negative = byte == b'-';
            if is_negative || byte == b'+' {
                at = at.wrapping_add(1);
            }
        }
        if at == length || mark != b'e' && mark != b'E' {
            return Err(intrinsics::words(1u32));
        }
        let mut written = 0i32;
        while at < length {
            let byte = *intrinsics::element(&bytes, at);
            if byte < b'0' || byte > b'9' {
                return Err(intrinsics::words(1u32));
            }
            if written < 65_536 {
                written = written.wrapping_mul(10).wrapping_add((byte as i32).wrapping_sub(48));
            }
            at = at.wrapping_add(1);
        }
        exponent = exponent.wrapping_add(if is_negative { written.wrapping_neg() } else { written });
    }
    if has_more {
        part = part.wrapping_mul(10).wrapping_add(1);
        times = times.wrapping_mul(10);
        count = count.wrapping_add(1);
        exponent = exponent.wrapping_sub(1);
    }
    words = multiply(&mut digits, words, times, part);
    let magnitude = exponent.wrapping_add(count as i32);
    if words == 0 || magnitude < -330 {
        return Ok(sign);
    }
    if magnitude > 310 {
        return Ok(sign | infinity);
    }
    let value = nearest(&mut digits, words, exponent, precision, least);
    Ok(sign | if value < infinity { value } else { infinity })
}

#[routine(library)]
fn parse_f32(text: &str) -> Result<f32, ParseFloatError> {
    match number(text, 24, -149, 0x7f80_0000) {
        Ok(bits) => Ok(f32::from_bits(bits as u32)),
        Err(error) => Err(error),
    }
}

#[routine(library)]
fn parse_f64(text: &str) -> Result<f64, ParseFloatError> {
    match number(text, 53, -1074, 0x7ff0_0000_0000_0000) {
        Ok(bits) => Ok(f64::from_bits(bits)),
        Err(error) => Err(error),
    }
}

parses! {
    f32 = parse_f32;
    f64 = parse_f64;
}
