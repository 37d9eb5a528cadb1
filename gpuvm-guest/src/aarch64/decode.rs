//! What an instruction's bits say. Source: Arm Architecture Reference Manual for A-profile, DDI 0487, chapter C4 (encodings by group).

use gpuvm::prelude::*;

/// The kinds of instruction. The first ones compute of `a`, which is `rn`, and `b`, which is the immediate or `rm`, shifted or extended.
pub(crate) mod kind {
    pub const ADD: u32 = 0;
    pub const SUB: u32 = 1;
    pub const AND: u32 = 2;
    pub const ORR: u32 = 3;
    pub const EOR: u32 = 4;
    pub const ADC: u32 = 5;
    pub const SBC: u32 = 6;
    pub const MOVK: u32 = 7;
    pub const ADR: u32 = 8;
    pub const ADRP: u32 = 9;
    pub const SBFM: u32 = 10;
    pub const BFM: u32 = 11;
    pub const UBFM: u32 = 12;
    pub const EXTR: u32 = 13;
    pub const MADD: u32 = 14;
    pub const MSUB: u32 = 15;
    pub const SMADDL: u32 = 16;
    pub const SMSUBL: u32 = 17;
    pub const SMULH: u32 = 18;
    pub const UMADDL: u32 = 19;
    pub const UMSUBL: u32 = 20;
    pub const UMULH: u32 = 21;
    pub const UDIV: u32 = 22;
    pub const SDIV: u32 = 23;
    pub const SHIFT: u32 = 24;
    pub const RBIT: u32 = 25;
    pub const REV16: u32 = 26;
    pub const REV32: u32 = 27;
    pub const REV: u32 = 28;
    pub const CLZ: u32 = 29;
    pub const CLS: u32 = 30;
    pub const CSEL: u32 = 31;
    pub const CSINC: u32 = 32;
    pub const CSINV: u32 = 33;
    pub const CSNEG: u32 = 34;
    pub const CCMN: u32 = 35;
    pub const CCMP: u32 = 36;
    pub const B: u32 = 37;
    pub const BCOND: u32 = 38;
    pub const CBZ: u32 = 39;
    pub const CBNZ: u32 = 40;
    pub const TBZ: u32 = 41;
    pub const TBNZ: u32 = 42;
    pub const BR: u32 = 43;
    pub const MEMORY: u32 = 44;
    pub const PAIR: u32 = 45;
    pub const LITERAL: u32 = 46;
    pub const EXCLUSIVE: u32 = 47;
    pub const SVC: u32 = 48;
    pub const BREAK: u32 = 49;
    pub const NOP: u32 = 50;
    pub const CLREX: u32 = 51;
    pub const MRS: u32 = 52;
    pub const MSR: u32 = 53;
    pub const UNDEFINED: u32 = 54;
    pub const CRC32: u32 = 55;
    /// What needs float registers begins here.
    pub const VMEMORY: u32 = 64;
    pub const VPAIR: u32 = 65;
    pub const VLITERAL: u32 = 66;
    /// Arithmetic of one number.
    pub const FONE: u32 = 67;
    /// Arithmetic of two numbers.
    pub const FTWO: u32 = 68;
    /// Fused multiplications.
    pub const FTHREE: u32 = 69;
    pub const FCMP: u32 = 70;
    pub const FCCMP: u32 = 71;
    pub const FCSEL: u32 = 72;
    /// The immediate value.
    pub const FMOVI: u32 = 73;
    /// Between general registers and numbers, and integers in float registers.
    pub const FTOX: u32 = 74;
    pub const XTOF: u32 = 75;
    pub const FMOVX: u32 = 76;
    pub const XMOVF: u32 = 77;
    /// Logic of whole registers.
    pub const VLOGIC: u32 = 78;
    pub const VCNT: u32 = 79;
    pub const VADDV: u32 = 80;
    /// Shifts, sums and differences of elements.
    pub const VINTEGER: u32 = 81;
}

/// The register that is 0 where it is read, and nowhere where it is written.
pub(crate) const ZR: u32 = 31;
/// Where the stack pointer is kept.
pub(crate) const SP: u32 = 32;

/// A decoded instruction: four words, as they are kept.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decoded {
    /// The kind in bits 0 to 7, `rd` from 8, `rn` from 14, `rm` from 20 and `ra` from 26.
    pub word: u32,
    /// Fields, by the constants below.
    pub fields: u32,
    /// The immediate value.
    pub immediate: u64,
}

/// Registers have 64 bits.
pub(crate) const LONG: u32 = 1;
/// Flags are set.
pub(crate) const FLAGS: u32 = 1 << 1;
/// The second operand is inverted.
pub(crate) const INVERTED: u32 = 1 << 2;
/// The second operand is a register that is shifted.
pub(crate) const SHIFTED: u32 = 1 << 3;
/// The second operand is a register that is extended.
pub(crate) const EXTENDED: u32 = 1 << 4;
/// The way of shifting or extending, three bits.
pub(crate) const WAY: u32 = 5;
/// By how many bits, six bits.
pub(crate) const AMOUNT: u32 = 8;
/// A condition, four bits.
pub(crate) const CONDITION: u32 = 14;
/// Flags where the condition does not hold, or other four bits.
pub(crate) const OTHER: u32 = 18;
/// The size of an access as a power of two, three bits.
pub(crate) const SIZE: u32 = 22;
/// It loads.
pub(crate) const LOADS: u32 = 1 << 25;
/// What is loaded is extended to 64 bits by its sign.
pub(crate) const SIGNED: u32 = 1 << 26;
/// The base register changes.
pub(crate) const WRITES_BACK: u32 = 1 << 27;
/// It changes after the access.
pub(crate) const AFTER: u32 = 1 << 28;
/// Translated code goes on from here.
pub(crate) const ENTRY: u32 = 1 << 29;

#[routine(callee)]
fn packed(kind: u32, rd: u32, rn: u32, rm: u32, fields: u32, immediate: u64) -> Decoded {
    Decoded {
        word: kind | rd << 8 | rn << 14 | rm << 20 | ZR << 26,
        fields,
        immediate,
    }
}

/// The same with a fourth register.
#[routine(callee)]
fn packed_four(kind: u32, rd: u32, rn: u32, rm: u32, ra: u32, fields: u32) -> Decoded {
    Decoded {
        word: kind | rd << 8 | rn << 14 | rm << 20 | ra << 26,
        fields,
        immediate: 0,
    }
}

#[routine(callee)]
fn undefined() -> Decoded {
    packed(kind::UNDEFINED, ZR, ZR, ZR, 0, 0)
}

/// The low bits of a word as a signed number.
#[routine(callee)]
fn signed(word: u32, bits: u32) -> u64 {
    ((word << (32 - bits)) as i32 >> (32 - bits)) as i64 as u64
}

/// A register of which 31 is the stack pointer.
#[routine(callee)]
fn stacked(register: u32) -> u32 {
    if register == 31 { SP } else { register }
}

/// What `bits` say.
#[routine(callee)]
pub(crate) fn decode(bits: u32) -> Decoded {
    match bits >> 25 & 15 {
        8 | 9 => decode_immediate(bits),
        10 | 11 => decode_branch(bits),
        5 | 13 => decode_register(bits),
        4 | 6 | 12 | 14 => decode_memory(bits),
        7 | 15 => super::decode_float::decode_float(bits),
        _ => undefined(),
    }
}

/// Operations with an immediate value.
#[routine(callee)]
fn decode_immediate(bits: u32) -> Decoded {
    let long = bits >> 31;
    let (rd, rn) = (bits & 31, bits >> 5 & 31);
    let opc = bits >> 29 & 3;
    match bits >> 23 & 7 {
        0 | 1 => {
            let offset = signed((bits >> 3 & 0x1f_fffc) | opc, 21);
            if long == 0 {
                packed(kind::ADR, rd, ZR, ZR, LONG, offset)
            } else {
                packed(kind::ADRP, rd, ZR, ZR, LONG, offset << 12)
            }
        }
        2 => {
            let value = (bits >> 10 & 0xfff) << if bits >> 22 & 1 != 0 { 12 } else { 0 };
            let sets = opc & 1;
            let rd = if sets != 0 { rd } else { stacked(rd) };
            packed(
                kind::ADD + (opc >> 1),
                rd,
                stacked(rn),
                ZR,
                long | sets << 1,
                u64::from(value),
            )
        }
        4 => {
            let mask = bit_mask(bits >> 22 & 1, bits >> 16 & 63, bits >> 10 & 63, long);
            let kind = match opc {
                0 | 3 => kind::AND,
                1 => kind::ORR,
                _ => kind::EOR,
            };
            let sets = u32::from(opc == 3);
            if mask == 0 {
                undefined()
            } else {
                packed(
                    kind,
                    if sets != 0 { rd } else { stacked(rd) },
                    rn,
                    ZR,
                    long | sets << 1,
                    mask,
                )
            }
        }
        5 => {
            let by = (bits >> 21 & 3) * 16;
            let value = u64::from(bits >> 5 & 0xffff) << by;
            if opc == 1 || long == 0 && by > 16 {
                undefined()
            } else if opc == 3 {
                packed(kind::MOVK, rd, ZR, ZR, long | by << AMOUNT, value)
            } else {
                packed(kind::ORR, rd, ZR, ZR, long, if opc == 0 { !value } else { value })
            }
        }
        6 => {
            let (rotated, last) = (bits >> 16 & 63, bits >> 10 & 63);
            let size = 32 << long;
            if opc == 3 || bits >> 22 & 1 != long || rotated >= size || last >= size {
                return undefined();
            }
            // Bits from `from` on, so many of them, go to `to`.
            let (from, to, count) = if last >= rotated {
                (rotated, 0, last - rotated + 1)
            } else {
                (0, size - rotated, last + 1)
            };
            let ones = u64::MAX >> (64 - count);
            packed(
                kind::SBFM + opc,
                rd,
                rn,
                ZR,
                long | from << AMOUNT | to << CONDITION,
                ones,
            )
        }
        7 => {
            let by = bits >> 10 & 63;
            if opc != 0 || bits >> 21 & 1 != 0 || bits >> 22 & 1 != long || long == 0 && by > 31 {
                return undefined();
            }
            packed(kind::EXTR, rd, rn, bits >> 16 & 31, long | SHIFTED | by << AMOUNT, 0)
        }
        _ => undefined(),
    }
}

/// The mask that a logical operation's fields mean, or 0 if they mean none.
#[routine(callee)]
fn bit_mask(n: u32, rotated: u32, ones: u32, long: u32) -> u64 {
    let bits = n << 6 | (!ones & 63);
    if bits < 2 || n > long {
        return 0;
    }
    // The size of the element that is repeated.
    let size = 1 << (31 - bits.leading_zeros());
    let levels = size - 1;
    let (count, by) = ((ones & levels) + 1, rotated & levels);
    if count > levels {
        return 0;
    }
    let element = u64::MAX >> (64 - count);
    let whole = u64::MAX >> (64 - size);
    let mut mask = if by == 0 {
        element
    } else {
        (element >> by | element << (size - by)) & whole
    };
    let mut width = size;
    while width < 64 {
        mask |= mask << width;
        width *= 2;
    }
    mask
}

/// Branches, exceptions and system instructions.
#[routine(callee)]
fn decode_branch(bits: u32) -> Decoded {
    let rt = bits & 31;
    let long = bits >> 31;
    let near = signed(bits >> 3 & 0x1f_fffc, 21);
    match bits >> 29 {
        0 | 4 => packed(
            kind::B,
            if long != 0 { 30 } else { ZR },
            ZR,
            ZR,
            LONG,
            signed(bits << 2, 28),
        ),
        1 | 5 => {
            let other = bits >> 24 & 1;
            if bits >> 25 & 1 == 0 {
                packed(kind::CBZ + other, ZR, rt, ZR, long, near)
            } else {
                let place = long << 5 | bits >> 19 & 31;
                packed(
                    kind::TBZ + other,
                    ZR,
                    rt,
                    ZR,
                    LONG | place << AMOUNT,
                    signed(bits >> 3 & 0xfffc, 16),
                )
            }
        }
        2 if bits & 0x0300_0010 == 0 => packed(kind::BCOND, ZR, ZR, ZR, (bits & 15) << CONDITION, near),
        6 => decode_system(bits),
        _ => undefined(),
    }
}

#[routine(callee)]
fn decode_system(bits: u32) -> Decoded {
    let rt = bits & 31;
    if bits & 0xffe0_001f == 0xd400_0001 {
        return packed(kind::SVC, ZR, ZR, ZR, 0, 0);
    }
    if bits & 0xffe0_001f == 0xd420_0000 || bits & 0xffe0_001f == 0xd440_0000 {
        return packed(kind::BREAK, ZR, ZR, ZR, 0, 0);
    }
    match bits & 0xffff_fc1f {
        0xd61f_0000 | 0xd65f_0000 => return packed(kind::BR, ZR, bits >> 5 & 31, ZR, LONG, 0),
        0xd63f_0000 => return packed(kind::BR, 30, bits >> 5 & 31, ZR, LONG, 0),
        _ => {}
    }
    // Hints and barriers.
    if bits & 0xffff_f01f == 0xd503_201f {
        return packed(kind::NOP, ZR, ZR, ZR, 0, 0);
    }
    if bits & 0xffff_f01f == 0xd503_301f {
        let kind = if bits >> 5 & 7 == 2 { kind::CLREX } else { kind::NOP };
        return packed(kind, ZR, ZR, ZR, 0, 0);
    }
    // Cleaning of caches, which there are not.
    match bits & 0xffff_ffe0 {
        0xd50b_7a20 | 0xd50b_7b20 | 0xd50b_7e20 | 0xd50b_7520 => return packed(kind::NOP, ZR, ZR, ZR, 0, 0),
        _ => {}
    }
    let register = u64::from(bits >> 5 & 0x7fff);
    match bits >> 20 {
        0xd51 => packed(kind::MSR, ZR, rt, ZR, LONG, register),
        0xd53 => packed(kind::MRS, rt, ZR, ZR, LONG, register),
        _ => undefined(),
    }
}

/// Operations of registers.
#[routine(callee)]
fn decode_register(bits: u32) -> Decoded {
    let long = bits >> 31;
    let (rd, rn, rm) = (bits & 31, bits >> 5 & 31, bits >> 16 & 31);
    let opc = bits >> 29 & 3;
    let amount = bits >> 10 & 63;
    if bits >> 28 & 1 == 0 {
        let shift = SHIFTED | (bits >> 22 & 3) << WAY | amount << AMOUNT;
        if bits >> 24 & 1 == 0 {
            let kind = match opc {
                0 | 3 => kind::AND,
                1 => kind::ORR,
                _ => kind::EOR,
            };
            let inverted = if bits >> 21 & 1 != 0 { INVERTED } else { 0 };
            let sets = u32::from(opc == 3);
            if long == 0 && amount > 31 {
                return undefined();
            }
            return packed(kind, rd, rn, rm, long | sets << 1 | shift | inverted, 0);
        }
        let kind = kind::ADD + (opc >> 1);
        let sets = opc & 1;
        if bits >> 21 & 1 == 0 {
            if long == 0 && amount > 31 || bits >> 22 & 3 == 3 {
                return undefined();
            }
            return packed(kind, rd, rn, rm, long | sets << 1 | shift, 0);
        }
        if amount & 7 > 4 || bits >> 22 & 3 != 0 {
            return undefined();
        }
        let extension = EXTENDED | (bits >> 13 & 7) << WAY | (amount & 7) << AMOUNT;
        let rd = if sets != 0 { rd } else { stacked(rd) };
        return packed(kind, rd, stacked(rn), rm, long | sets << 1 | extension, 0);
    }
    let plain = long | SHIFTED;
    match bits >> 21 & 15 {
        0 if amount == 0 => packed(kind::ADC + (opc >> 1), rd, rn, rm, plain | (opc & 1) << 1, 0),
        2 if opc & 1 != 0 && bits & 0x410 == 0 => {
            let fields = long | (bits & 15) << OTHER | (bits >> 12 & 15) << CONDITION;
            let kind = kind::CCMN + (opc >> 1);
            if bits >> 11 & 1 != 0 {
                packed(kind, ZR, rn, ZR, fields, u64::from(rm))
            } else {
                packed(kind, ZR, rn, rm, fields | SHIFTED, 0)
            }
        }
        4 if opc & 1 == 0 && bits >> 11 & 1 == 0 => {
            let kind = kind::CSEL + (opc & 2) + (bits >> 10 & 1);
            packed(kind, rd, rn, rm, plain | (bits >> 12 & 15) << CONDITION, 0)
        }
        6 if opc == 0 => match amount {
            2 => packed(kind::UDIV, rd, rn, rm, plain, 0),
            3 => packed(kind::SDIV, rd, rn, rm, plain, 0),
            8..12 => packed(kind::SHIFT, rd, rn, rm, plain | (amount & 3) << OTHER, 0),
            16..24 if (amount & 3 == 3) == (long != 0) => {
                packed(kind::CRC32, rd, rn, rm, plain | LONG | (amount & 7) << OTHER, 0)
            }
            _ => undefined(),
        },
        6 if opc == 2 && rm == 0 => match amount {
            0 => packed(kind::RBIT, rd, rn, ZR, long, 0),
            1 => packed(kind::REV16, rd, rn, ZR, long, 0),
            2 => packed(if long != 0 { kind::REV32 } else { kind::REV }, rd, rn, ZR, long, 0),
            3 if long != 0 => packed(kind::REV, rd, rn, ZR, long, 0),
            4 => packed(kind::CLZ, rd, rn, ZR, long, 0),
            5 => packed(kind::CLS, rd, rn, ZR, long, 0),
            _ => undefined(),
        },
        8..16 if opc == 0 => {
            let ra = bits >> 10 & 31;
            let minus = bits >> 15 & 1;
            let which = bits >> 21 & 7;
            let kind = match which {
                0 => kind::MADD + minus,
                1 => kind::SMADDL + minus,
                2 if minus == 0 => kind::SMULH,
                5 => kind::UMADDL + minus,
                6 if minus == 0 => kind::UMULH,
                _ => kind::UNDEFINED,
            };
            if kind == kind::UNDEFINED || which != 0 && long == 0 {
                return undefined();
            }
            packed_four(kind, rd, rn, rm, ra, plain)
        }
        _ => undefined(),
    }
}

/// Loads and stores.
#[routine(callee)]
fn decode_memory(bits: u32) -> Decoded {
    let (rt, rn, rm) = (bits & 31, stacked(bits >> 5 & 31), bits >> 16 & 31);
    let size = bits >> 30;
    let vector = bits >> 26 & 1 != 0;
    match bits >> 27 & 7 {
        1 if !vector && bits >> 24 & 1 == 0 => {
            let loads = bits >> 22 & 1;
            let pair = bits >> 21 & 1;
            let ordered = bits >> 23 & 1;
            if ordered != 0 {
                // Of one register, ordered, and nothing is reserved.
                if pair != 0 {
                    return undefined();
                }
                let fields = LONG | size << SIZE | (loads * LOADS);
                let target = if loads != 0 { rt } else { ZR };
                return Decoded {
                    word: kind::MEMORY | target << 8 | rn << 14 | ZR << 20 | rt << 26,
                    fields,
                    immediate: 0,
                };
            }
            if pair != 0 && size < 2 {
                return undefined();
            }
            // `rm` is where a store says whether it has stored, and `ra` the second register of a pair, which `OTHER` tells.
            let fields = LONG | size << SIZE | (loads * LOADS) | pair << OTHER;
            packed_four(kind::EXCLUSIVE, rt, rn, rm, bits >> 10 & 31, fields)
        }
        3 if bits >> 24 & 1 == 0 => {
            let offset = signed(bits >> 3 & 0x1f_fffc, 21);
            if vector {
                return match size {
                    3 => undefined(),
                    _ => packed(kind::VLITERAL, rt, ZR, ZR, LONG | (size + 2) << SIZE | LOADS, offset),
                };
            }
            match size {
                0 => packed(kind::LITERAL, rt, ZR, ZR, LONG | 2 << SIZE | LOADS, offset),
                1 => packed(kind::LITERAL, rt, ZR, ZR, LONG | 3 << SIZE | LOADS, offset),
                2 => packed(kind::LITERAL, rt, ZR, ZR, LONG | 2 << SIZE | LOADS | SIGNED, offset),
                _ => packed(kind::NOP, ZR, ZR, ZR, 0, 0),
            }
        }
        5 => {
            let loads = bits >> 22 & 1;
            let way = match bits >> 23 & 3 {
                1 => WRITES_BACK | AFTER,
                3 => WRITES_BACK,
                _ => 0,
            };
            if size == 3 || !vector && size == 1 && (loads == 0 || bits >> 23 & 3 == 0) {
                return undefined();
            }
            let (scale, sign) = if vector {
                (size + 2, 0)
            } else {
                (2 + (size >> 1), if size == 1 { SIGNED } else { 0 })
            };
            let kind = if vector { kind::VPAIR } else { kind::PAIR };
            let offset = signed(bits >> 15 & 0x7f, 7) << scale;
            Decoded {
                word: kind | rt << 8 | rn << 14 | (bits >> 10 & 31) << 20 | ZR << 26,
                fields: LONG | scale << SIZE | (loads * LOADS) | sign | way,
                immediate: offset,
            }
        }
        7 => decode_one(bits, rt, rn, rm, size, vector),
        _ => undefined(),
    }
}

/// Loads and stores of one register.
#[routine(callee)]
fn decode_one(bits: u32, rt: u32, rn: u32, rm: u32, size: u32, vector: bool) -> Decoded {
    let opc = bits >> 22 & 3;
    let (mut scale, mut access, mut kind) = (size, 0, kind::MEMORY);
    if vector {
        kind = kind::VMEMORY;
        if opc > 1 {
            if size != 0 {
                return undefined();
            }
            scale = 4;
        }
        access |= ((opc & 1) * LOADS) | LONG;
    } else {
        match opc {
            0 => access |= LONG,
            1 => access |= LOADS | LONG,
            2 if size == 3 => kind = kind::NOP,
            2 => access |= LOADS | SIGNED | LONG,
            _ if size > 1 => return undefined(),
            _ => access |= LOADS | SIGNED,
        }
    }
    access |= scale << SIZE;
    let target = if access & LOADS != 0 || vector { rt } else { ZR };
    let word = kind | target << 8 | rn << 14 | rt << 26;
    if bits >> 24 & 1 != 0 {
        return Decoded {
            word: word | ZR << 20,
            fields: access,
            immediate: u64::from(bits >> 10 & 0xfff) << scale,
        };
    }
    if bits >> 21 & 1 != 0 {
        let option = bits >> 13 & 7;
        if bits >> 10 & 3 != 2 || option & 2 == 0 {
            return undefined();
        }
        let by = if bits >> 12 & 1 != 0 { scale } else { 0 };
        return Decoded {
            word: word | rm << 20,
            fields: access | EXTENDED | option << WAY | by << AMOUNT,
            immediate: 0,
        };
    }
    let way = match bits >> 10 & 3 {
        1 => WRITES_BACK | AFTER,
        3 => WRITES_BACK,
        _ => 0,
    };
    Decoded {
        word: word | ZR << 20,
        fields: access | way,
        immediate: signed(bits >> 12 & 0x1ff, 9),
    }
}
