//! Large natural numbers of 40 words, the lowest word first: as much arithmetic as exact decimals of floats need. Four times the largest mantissa of an `f64`,
//! times the largest power of two or ten that it is set against, has room in them, and ten times that. `len`: how many of the words may be other than 0.

use gpuvm_macros::routine;

use super::super::intrinsics;

/// A number of 64 bits times a power of two.
#[routine(library)]
pub fn shifted(value: u64, shift: u32) -> [u32; 40] {
    let mut words = [0u32; 40];
    let (word, bit) = ((shift / 32) as usize, shift % 32);
    let low = value << bit;
    words[word] = low as u32;
    words[word.wrapping_add(1)] = (low >> 32) as u32;
    if bit != 0 {
        words[word.wrapping_add(2)] = (value >> 32 >> 32u32.wrapping_sub(bit)) as u32;
    }
    words
}

/// Multiplies a number.
#[routine(library)]
pub fn multiply(words: &mut [u32; 40], len: usize, factor: u32) {
    let mut carry = 0u64;
    let mut i = 0usize;
    while i < len {
        let word = intrinsics::element_mut(&&mut words[..], i);
        let product = (*word as u64).wrapping_mul(factor as u64).wrapping_add(carry);
        *word = product as u32;
        carry = product >> 32;
        i = i.wrapping_add(1);
    }
}

/// Multiplies a number by a power of ten.
#[routine(library)]
pub fn multiply_by_power(words: &mut [u32; 40], len: usize, power: u32) {
    let mut left = power;
    while left >= 9 {
        multiply(words, len, 1_000_000_000);
        left = left.wrapping_sub(9);
    }
    let mut factor = 1u32;
    while left > 0 {
        factor = factor.wrapping_mul(10);
        left = left.wrapping_sub(1);
    }
    multiply(words, len, factor);
}

/// Subtracts a number from one that is not less.
#[routine(library)]
pub fn subtract(words: &mut [u32; 40], other: &[u32; 40], len: usize) {
    let mut borrow = 0u64;
    let mut i = 0usize;
    while i < len {
        let word = intrinsics::element_mut(&&mut words[..], i);
        let subtrahend = (*intrinsics::element(&&other[..], i) as u64).wrapping_add(borrow);
        let difference = (*word as u64).wrapping_sub(subtrahend);
        *word = difference as u32;
        borrow = difference >> 63;
        i = i.wrapping_add(1);
    }
}

/// Whether a number is less than another (0), the same (1), or more (2).
#[routine(library)]
pub fn compare(a: &[u32; 40], b: &[u32; 40], len: usize) -> u32 {
    let mut i = len;
    while i > 0 {
        i = i.wrapping_sub(1);
        let (x, y) = (*intrinsics::element(&&a[..], i), *intrinsics::element(&&b[..], i));
        if x != y {
            return if x < y { 0 } else { 2 };
        }
    }
    1
}

/// The same of the sum of two numbers and another one.
#[routine(library)]
pub fn compare_sum(a: &[u32; 40], b: &[u32; 40], c: &[u32; 40], len: usize) -> u32 {
    let mut carry = 0u64;
    let mut order = 1u32;
    let mut i = 0usize;
    while i < len {
        let sum = (*intrinsics::element(&&a[..], i) as u64)
            .wrapping_add(*intrinsics::element(&&b[..], i) as u64)
            .wrapping_add(carry);
        let (x, y) = (sum as u32, *intrinsics::element(&&c[..], i));
        if x != y {
            order = if x < y { 0 } else { 2 };
        }
        carry = sum >> 32;
        i = i.wrapping_add(1);
    }
    if carry != 0 { 2 } else { order }
}

/// Divides a number by one that it is less than ten times of; what is left stays.
#[routine(library)]
pub fn digit(words: &mut [u32; 40], divisor: &[u32; 40], len: usize) -> u32 {
    let mut quotient = 0u32;
    while compare(words, divisor, len) != 0 {
        subtract(words, divisor, len);
        quotient = quotient.wrapping_add(1);
    }
    quotient
}
