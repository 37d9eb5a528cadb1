//! Scalar floats, and of the vector instructions those that compilers use for scalars: moves, logic, and the count of bits. Source: as of [`decode`](super::decode), C4.1.
//!
//! The format is in `SIZE`, 1 for `f16`, 2 for `f32` and 3 for `f64`.

use gpuvm::prelude::*;

use super::decode::{AMOUNT, CONDITION, Decoded, FLAGS, INVERTED, LONG, OTHER, SIGNED, SIZE, WAY, ZR, kind};

#[routine(callee)]
fn float(kind: u32, rd: u32, rn: u32, rm: u32, fields: u32, immediate: u64) -> Decoded {
    Decoded {
        word: kind | rd << 8 | rn << 14 | rm << 20 | ZR << 26,
        fields,
        immediate,
    }
}

#[routine(callee)]
fn undefined() -> Decoded {
    float(kind::UNDEFINED, ZR, ZR, ZR, 0, 0)
}

/// What `bits` say, in the group of floats and vectors.
#[routine(callee)]
pub(crate) fn decode_float(bits: u32) -> Decoded {
    let (rd, rn, rm) = (bits & 31, bits >> 5 & 31, bits >> 16 & 31);
    if bits >> 24 & 0x5e == 0x1e {
        // The formats' numbers: 0 is `f32`, 1 `f64` and 3 `f16`.
        let format = match bits >> 22 & 3 {
            0 => 2,
            1 => 3,
            3 => 1,
            _ => 0,
        };
        let fields = format << SIZE;
        if bits >> 24 & 1 != 0 {
            if bits >> 31 != 0 || bits >> 29 & 1 != 0 || format < 2 {
                return undefined();
            }
            let minus = (bits >> 21 & 1) << 1 | bits >> 15 & 1;
            return Decoded {
                word: kind::FTHREE | rd << 8 | rn << 14 | rm << 20 | (bits >> 10 & 31) << 26,
                fields: fields | minus << OTHER,
                immediate: 0,
            };
        }
        if bits >> 21 & 1 == 0 {
            return decode_fixed(bits, rd, rn, format);
        }
        if bits >> 10 & 63 == 0 {
            return decode_integer(bits, rd, rn, format);
        }
        if bits >> 31 != 0 || bits >> 29 & 1 != 0 || format == 0 {
            return undefined();
        }
        return decode_scalar(bits, rd, rn, rm, format);
    }
    decode_vector(bits, rd, rn, rm)
}

/// Arithmetic and comparisons of one format.
#[routine(callee)]
fn decode_scalar(bits: u32, rd: u32, rn: u32, rm: u32, format: u32) -> Decoded {
    let fields = format << SIZE;
    let condition = (bits >> 12 & 15) << CONDITION;
    let operation = bits >> 10 & 63;
    if operation & 31 == 16 {
        // One number: the operation's number is above.
        let which = bits >> 15 & 63;
        let known = match which {
            0..4 => true,
            4 | 5 | 7 => {
                which
                    != match format {
                        2 => 4,
                        3 => 5,
                        _ => 7,
                    }
            }
            8..=12 | 14 | 15 => true,
            _ => false,
        };
        let converts = which > 3 && which < 8;
        if !known || format == 1 && !converts {
            return undefined();
        }
        return float(kind::FONE, rd, rn, ZR, fields | which << AMOUNT, 0);
    }
    if format == 1 {
        return undefined();
    }
    if operation & 15 == 8 && bits & 7 == 0 && operation >> 4 == 0 {
        // With another number or with 0; a quiet NaN is invalid or is not.
        let zero = bits >> 3 & 1;
        let all = bits >> 4 & 1;
        let rm = if zero != 0 { ZR } else { rm };
        return float(kind::FCMP, ZR, rn, rm, fields | zero << OTHER | all << AMOUNT, 0);
    }
    if operation & 7 == 4 {
        if bits >> 5 & 31 != 0 {
            return undefined();
        }
        return float(kind::FMOVI, rd, ZR, ZR, fields, small_number(bits >> 13 & 255, format));
    }
    match operation & 3 {
        1 => float(
            kind::FCCMP,
            ZR,
            rn,
            rm,
            fields | condition | (bits & 15) << OTHER | (bits >> 4 & 1) << AMOUNT,
            0,
        ),
        3 => float(kind::FCSEL, rd, rn, rm, fields | condition, 0),
        2 if operation >> 2 < 9 => float(kind::FTWO, rd, rn, rm, fields | (operation >> 2) << AMOUNT, 0),
        _ => undefined(),
    }
}

/// The number that eight bits mean: a sign, three bits of exponent, four of fraction.
#[routine(callee)]
fn small_number(byte: u32, format: u32) -> u64 {
    let (sign, high, low) = (u64::from(byte >> 7), byte >> 6 & 1, u64::from(byte & 63));
    if format == 3 {
        let exponent = if high != 0 { 0xff << 54 } else { 1u64 << 62 };
        return sign << 63 | exponent & 0x7fc0_0000_0000_0000 | low << 48;
    }
    let exponent = if high != 0 { 0x1f << 25 } else { 1u64 << 30 };
    sign << 31 | exponent | low << 19
}

/// Between numbers and integers with bits behind the point.
#[routine(callee)]
fn decode_fixed(bits: u32, rd: u32, rn: u32, format: u32) -> Decoded {
    let long = bits >> 31;
    let behind = 64 - (bits >> 10 & 63);
    if bits >> 29 & 1 != 0 || format < 2 || long == 0 && behind > 32 {
        return undefined();
    }
    let signed = if bits >> 16 & 1 == 0 { SIGNED } else { 0 };
    let fields = long | format << SIZE | signed | behind << AMOUNT;
    match bits >> 17 & 15 {
        // Towards zero.
        12 => float(kind::FTOX, rd, rn, ZR, fields | 3 << OTHER, 0),
        1 => float(kind::XTOF, rd, rn, ZR, fields, 0),
        _ => undefined(),
    }
}

/// Between numbers and integers in general registers.
#[routine(callee)]
fn decode_integer(bits: u32, rd: u32, rn: u32, format: u32) -> Decoded {
    let long = bits >> 31;
    if bits >> 29 & 1 != 0 {
        return undefined();
    }
    let (mode, which) = (bits >> 19 & 3, bits >> 16 & 7);
    let signed = if which & 1 == 0 { SIGNED } else { 0 };
    let fields = long | format << SIZE | signed;
    match which {
        // To the nearest and even, up, down, towards zero.
        0 | 1 if format > 1 => float(kind::FTOX, rd, rn, ZR, fields | mode << OTHER, 0),
        2 | 3 if mode == 0 && format > 1 => float(kind::XTOF, rd, rn, ZR, fields, 0),
        // To the nearest, away from zero.
        4 | 5 if mode == 0 && format > 1 => float(kind::FTOX, rd, rn, ZR, fields | 4 << OTHER, 0),
        6 if mode == 0 && format == 2 + long => float(kind::FMOVX, rd, rn, ZR, fields, 0),
        7 if mode == 0 && format == 2 + long => float(kind::XMOVF, rd, rn, ZR, fields, 0),
        // The high half.
        6 if mode == 1 && format == 0 && long != 0 => float(kind::FMOVX, rd, rn, ZR, LONG | 3 << SIZE | 1 << OTHER, 0),
        7 if mode == 1 && format == 0 && long != 0 => float(kind::XMOVF, rd, rn, ZR, LONG | 3 << SIZE | INVERTED, 0),
        _ => undefined(),
    }
}

/// What of the vector instructions compilers use for scalars.
#[routine(callee)]
fn decode_vector(bits: u32, rd: u32, rn: u32, rm: u32) -> Decoded {
    let whole = bits >> 30 & 1;
    // MOVI, MVNI, ORR, BIC and FMOV with an immediate value.
    if bits & 0x9ff8_0c00 == 0x0f00_0400 {
        let byte = u64::from((bits >> 11 & 0xe0) | (bits >> 5 & 31));
        let (mode, inverts) = (bits >> 12 & 15, bits >> 29 & 1);
        if mode == 15 && inverts != 0 && whole == 0 {
            return undefined();
        }
        let value = vector_immediate(byte, mode, inverts, whole);
        let changes = mode < 12 && mode & 1 != 0;
        let value = if mode < 14 && inverts != 0 { !value } else { value };
        // What is changed is combined: ORR as 2, and AND as 0, of the register and the value.
        let fields = whole
            | if changes {
                FLAGS | (if inverts != 0 { 0 } else { 2 }) << WAY
            } else {
                0
            };
        return float(kind::FMOVI, rd, rd, ZR, fields, value);
    }
    // Shifts by an immediate value, of elements or of a scalar: USHR and SSHR (0 and 1), and SHL (2).
    let scalar = bits & 0xdf80_0400 == 0x5f00_0400;
    if scalar || bits & 0x9f80_0400 == 0x0f00_0400 {
        let places = bits >> 16 & 127;
        let size = 28 - (places | 8).leading_zeros();
        let (unsigned, operation) = (bits >> 29 & 1, bits >> 11 & 31);
        let left = operation == 10 && unsigned == 0;
        if places < 8 || operation != 0 && !left || scalar && size != 3 || !scalar && size == 3 && whole == 0 {
            return undefined();
        }
        // Left by how much is beyond the size, right by how much is missing to twice the size.
        let (way, by) = if left {
            (2, places - (8 << size))
        } else {
            (unsigned ^ 1, (16 << size) - places)
        };
        let fields = if scalar { 0 } else { whole };
        return float(
            kind::VINTEGER,
            rd,
            rn,
            ZR,
            fields | size << SIZE | way << WAY | by << AMOUNT,
            0,
        );
    }
    // ADD and SUB (3 and 4), of elements or of a scalar.
    let scalar = bits & 0xdfe0_fc00 == 0x5ee0_8400;
    if scalar || bits & 0x9f20_fc00 == 0x0e20_8400 {
        let size = bits >> 22 & 3;
        if !scalar && size == 3 && whole == 0 {
            return undefined();
        }
        let fields = if scalar { 0 } else { whole };
        return float(
            kind::VINTEGER,
            rd,
            rn,
            rm,
            fields | size << SIZE | (3 + (bits >> 29 & 1)) << WAY,
            0,
        );
    }
    // AND, BIC, ORR, ORN, EOR, BSL, BIT and BIF.
    if bits & 0x9f20_fc00 == 0x0e20_1c00 {
        let which = bits >> 22 & 3 | bits >> 27 & 4;
        return float(kind::VLOGIC, rd, rn, rm, whole | which << WAY, 0);
    }
    if bits & 0xbfff_fc00 == 0x0e20_5800 {
        return float(kind::VCNT, rd, rn, ZR, whole, 0);
    }
    if bits & 0xbfff_fc00 == 0x0e31_b800 {
        return float(kind::VADDV, rd, rn, ZR, whole, 0);
    }
    // Integers in float registers to numbers and back: SCVTF, UCVTF, FCVTZS and FCVTZU of a scalar.
    if bits & 0xdf9f_fc00 == 0x5e01_d800 || bits & 0xdfbf_fc00 == 0x5e21_d800 {
        let format = 2 + (bits >> 22 & 1);
        let signed = if bits >> 29 & 1 == 0 { SIGNED } else { 0 };
        return float(
            kind::XTOF,
            rd,
            rn,
            ZR,
            (format & 1) | format << SIZE | signed | INVERTED,
            0,
        );
    }
    if bits & 0xdfbf_fc00 == 0x5ea1_b800 {
        let format = 2 + (bits >> 22 & 1);
        let signed = if bits >> 29 & 1 == 0 { SIGNED } else { 0 };
        return float(
            kind::FTOX,
            rd,
            rn,
            ZR,
            (format & 1) | format << SIZE | signed | INVERTED | 3 << OTHER,
            0,
        );
    }
    // Elements: UMOV of one to a general register, DUP of a general register, DUP and INS of the lowest element as scalars.
    let element = bits >> 16 & 31;
    if bits & 0xffe0_fc00 == 0x5e00_0400 && element & 15 == 8 {
        // DUP d, v.d[i]
        return float(kind::VLOGIC, rd, rn, rn, FLAGS | (element >> 4) << OTHER, 0);
    }
    if bits & 0xbfe0_fc00 == 0x0e00_3c00 {
        let size = if element == 0 { 32 } else { element.trailing_zeros() };
        if size < 3 && whole == 0 || size == 3 && whole != 0 {
            // Which register's half, and from which bit on.
            let bit = (element >> (size + 1)) << size << 3;
            return float(
                kind::FMOVX,
                rd,
                rn,
                ZR,
                LONG | FLAGS | size << SIZE | (bit & 63) << AMOUNT | (bit >> 6) << OTHER,
                0,
            );
        }
    }
    undefined()
}

/// The value of a vector's immediate field, in each half.
#[routine(callee)]
fn vector_immediate(byte: u64, mode: u32, inverts: u32, whole: u32) -> u64 {
    let word = |value: u64| value | value << 32;
    match mode {
        0..8 => word(byte << ((mode >> 1) * 8)),
        8..12 => {
            let half = byte << ((mode >> 1 & 1) * 8);
            word(half | half << 16)
        }
        12 => word(byte << 8 | 0xff),
        13 => word(byte << 16 | 0xffff),
        14 if inverts == 0 => byte.wrapping_mul(0x0101_0101_0101_0101),
        14 => {
            let mut value = 0u64;
            for i in 0..8 {
                if byte >> i & 1 != 0 {
                    value |= 0xff << (i * 8);
                }
            }
            value
        }
        _ if inverts != 0 && whole != 0 => small_number(byte as u32, 3),
        _ => word(small_number(byte as u32, 2)),
    }
}
