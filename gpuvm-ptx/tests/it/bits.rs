//! Functions of integers' bits, and the smaller and larger ones.

use super::*;

#[test]
fn bits_are_counted() {
    check_edges(
        "return countLeadingZeros(x) + 64u * countTrailingZeros(x) + 4096u * countOneBits(x);",
        false,
        |x, _| x.leading_zeros() + 64 * x.trailing_zeros() + 4096 * x.count_ones(),
    );
    check_edges("return reverseBits(x) ^ firstTrailingBit(y);", false, |x, y| {
        x.reverse_bits() ^ if y == 0 { u32::MAX } else { y.trailing_zeros() }
    });
    check_edges(
        "return firstLeadingBit(x) + 256u * u32(firstLeadingBit(i32(x)));",
        false,
        |x, _| {
            let first = |x: u32| if x == 0 { u32::MAX } else { 31 - x.leading_zeros() };
            let signed = if (x as i32) < 0 { !x } else { x };
            first(x).wrapping_add(first(signed).wrapping_mul(256))
        },
    );
    let long = "let a = u64(x) | (u64(y) << 32u);
        return u32(countLeadingZeros(a)) + 128u * u32(countTrailingZeros(a)) + 65536u * u32(countOneBits(a)) + u32(reverseBits(a) >> 60u);";
    check_edges(long, false, |x, y| {
        let a = u64::from(x) | u64::from(y) << 32;
        a.leading_zeros() + 128 * a.trailing_zeros() + 65536 * a.count_ones() + (a.reverse_bits() >> 60) as u32
    });
}

#[test]
fn fields_are_cut_off() {
    let field = |offset: u32, count: u32| {
        let offset = offset.min(32);
        (offset, count.min(32 - offset))
    };
    let mask = |count: u32| u32::try_from((1_u64 << count) - 1).unwrap();
    check_edges("return extractBits(0x9abcdef1u, x, y);", false, |x, y| {
        let (offset, count) = field(x, y);
        0x9abc_def1_u32.checked_shr(offset).unwrap_or(0) & mask(count)
    });
    check_edges("return u32(extractBits(i32(0x9abcdef1u), x, y));", false, |x, y| {
        let (offset, count) = field(x, y);
        let part = 0x9abc_def1_u32.checked_shr(offset).unwrap_or(0) & mask(count);
        let shift = 32 - count;
        if count == 0 {
            0
        } else {
            (((part << shift) as i32) >> shift) as u32
        }
    });
    check_edges("return insertBits(0x12345678u, 0xabcdefu, x, y);", false, |x, y| {
        let (offset, count) = field(x, y);
        let mask = mask(count).checked_shl(offset).unwrap_or(0);
        0x1234_5678 & !mask | 0x00ab_cdef_u32.checked_shl(offset).unwrap_or(0) & mask
    });
}

#[test]
fn integers_are_limited() {
    check_edges("return min(x, y) ^ max(x, 7u) ^ clamp(y, 3u, 99u);", false, |x, y| {
        x.min(y) ^ x.max(7) ^ y.clamp(3, 99)
    });
    let signed =
        "let a = i32(x); let b = i32(y); return u32(min(a, b) ^ max(a, -7) ^ clamp(b, -3, 99) ^ abs(a) ^ sign(b));";
    check_edges(signed, false, |x, y| {
        let (a, b) = (x as i32, y as i32);
        (a.min(b) ^ a.max(-7) ^ b.clamp(-3, 99) ^ a.wrapping_abs() ^ b.signum()) as u32
    });
}
