//! What an instruction's bits say: a kind, registers and an immediate value. Instructions of 16 bits become the ones of 32 that they stand for.
//!
//! Source: The RISC-V Instruction Set Manual, Volume I, 20191213, chapters 24 (listings) and 16 (compressed).

use gpuvm::prelude::*;

/// The kinds of instruction, in the lowest bits of a decoded one. The first ones compute of `a`, which is `rs1`, and `b`, which is `rs2` or the immediate.
pub(crate) mod kind {
    pub const ADD: u32 = 0;
    pub const SUB: u32 = 1;
    pub const SLL: u32 = 2;
    pub const SLT: u32 = 3;
    pub const SLTU: u32 = 4;
    pub const XOR: u32 = 5;
    pub const SRL: u32 = 6;
    pub const SRA: u32 = 7;
    pub const OR: u32 = 8;
    pub const AND: u32 = 9;
    pub const ADDW: u32 = 10;
    pub const SUBW: u32 = 11;
    pub const SLLW: u32 = 12;
    pub const SRLW: u32 = 13;
    pub const SRAW: u32 = 14;
    pub const MUL: u32 = 15;
    pub const MULH: u32 = 16;
    pub const MULHSU: u32 = 17;
    pub const MULHU: u32 = 18;
    pub const DIV: u32 = 19;
    pub const DIVU: u32 = 20;
    pub const REM: u32 = 21;
    pub const REMU: u32 = 22;
    pub const MULW: u32 = 23;
    pub const DIVW: u32 = 24;
    pub const DIVUW: u32 = 25;
    pub const REMW: u32 = 26;
    pub const REMUW: u32 = 27;
    pub const AUIPC: u32 = 28;
    pub const JAL: u32 = 29;
    pub const JALR: u32 = 30;
    pub const LOAD: u32 = 31;
    pub const STORE: u32 = 32;
    pub const BEQ: u32 = 33;
    pub const BNE: u32 = 34;
    pub const BLT: u32 = 35;
    pub const BGE: u32 = 36;
    pub const BLTU: u32 = 37;
    pub const BGEU: u32 = 38;
    pub const LR: u32 = 39;
    pub const SC: u32 = 40;
    pub const AMO: u32 = 41;
    pub const FENCE: u32 = 42;
    pub const ECALL: u32 = 43;
    pub const EBREAK: u32 = 44;
    pub const CSR: u32 = 45;
    pub const UNDEFINED: u32 = 46;
    /// What is to be decoded when it is come to, because it is in two pages.
    pub const LATER: u32 = 47;
    pub const FLOAD: u32 = 48;
    pub const FSTORE: u32 = 49;
    pub const FMADD: u32 = 50;
    pub const FMSUB: u32 = 51;
    pub const FNMSUB: u32 = 52;
    pub const FNMADD: u32 = 53;
    /// Arithmetic whose result is a float.
    pub const FOP: u32 = 54;
    /// Arithmetic whose result is an integer.
    pub const FOPX: u32 = 55;
}

/// A decoded instruction: two words, as they are kept.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decoded {
    /// The kind in bits 0 to 7, `rd` from 8, `rs1` from 13, `rs2` from 18, `funct3` from 23, and the two below.
    pub word: u32,
    /// The immediate value. Of a fused multiplication it is `rs3`, of an atomic operation `funct5`, of other floats `funct7`.
    pub immediate: u32,
}

/// The instruction has 32 bits.
pub(crate) const WIDE: u32 = 1 << 26;
/// The second operand is the immediate value.
pub(crate) const IMMEDIATE: u32 = 1 << 27;
/// Translated code goes on from here.
pub(crate) const ENTRY: u32 = 1 << 28;

#[routine(callee)]
fn packed(kind: u32, rd: u32, rs1: u32, rs2: u32, funct3: u32, immediate: u32) -> Decoded {
    Decoded {
        word: kind | rd << 8 | rs1 << 13 | rs2 << 18 | funct3 << 23,
        immediate,
    }
}

/// An instruction with an immediate value for its second operand.
#[routine(callee)]
fn with_immediate(kind: u32, rd: u32, rs1: u32, funct3: u32, immediate: u32) -> Decoded {
    Decoded {
        word: kind | rd << 8 | rs1 << 13 | funct3 << 23 | IMMEDIATE,
        immediate,
    }
}

#[routine(callee)]
fn undefined() -> Decoded {
    packed(kind::UNDEFINED, 0, 0, 0, 0, 0)
}

/// The low bits of a word as a signed number.
#[routine(callee)]
fn extended(word: u32, bits: u32) -> u32 {
    ((word << (32 - bits)) as i32 >> (32 - bits)) as u32
}

/// What `bits` say on a machine with registers of 64 bits, if it is `long`, or of 32. A compressed instruction is in the low half.
#[routine(callee)]
pub(crate) fn decode(bits: u32, long: bool) -> Decoded {
    if bits & 3 == 3 {
        let mut decoded = decode_wide(bits, long);
        decoded.word |= WIDE;
        decoded
    } else {
        decode_compressed(bits & 0xffff, long)
    }
}

#[routine(callee)]
fn decode_wide(bits: u32, long: bool) -> Decoded {
    let rd = bits >> 7 & 31;
    let rs1 = bits >> 15 & 31;
    let rs2 = bits >> 20 & 31;
    let funct3 = bits >> 12 & 7;
    let funct7 = bits >> 25;
    let immediate = (bits as i32 >> 20) as u32;
    match bits & 0x7f {
        0x37 => with_immediate(kind::ADD, rd, 0, 0, bits & 0xffff_f000),
        0x17 => with_immediate(kind::AUIPC, rd, 0, 0, bits & 0xffff_f000),
        0x6f => {
            let low = (bits >> 20 & 0x7fe) | (bits >> 9 & 0x800) | (bits & 0xf_f000);
            with_immediate(kind::JAL, rd, 0, 0, low | ((bits as i32 >> 11) as u32 & 0xfff0_0000))
        }
        0x67 if funct3 == 0 => with_immediate(kind::JALR, rd, rs1, 0, immediate),
        0x63 if funct3 & 6 != 2 => {
            let low = (bits >> 7 & 0x1e) | (bits >> 20 & 0x7e0) | (bits << 4 & 0x800);
            let offset = low | ((bits as i32 >> 19) as u32 & 0xffff_f000);
            let kind = if funct3 < 2 {
                kind::BEQ + funct3
            } else {
                kind::BLT + funct3 - 4
            };
            packed(kind, 0, rs1, rs2, 0, offset)
        }
        0x03 if funct3 < 3 || funct3 == 4 || funct3 == 5 || long && funct3 != 7 => {
            with_immediate(kind::LOAD, rd, rs1, funct3, immediate)
        }
        0x23 if funct3 < 3 || long && funct3 == 3 => packed(kind::STORE, 0, rs1, rs2, funct3, (immediate & !31) | rd),
        0x13 => decode_immediate(rd, rs1, funct3, immediate, long),
        0x33 => decode_operation(bits, false),
        0x1b if long => match funct3 {
            0 => with_immediate(kind::ADDW, rd, rs1, 0, immediate),
            1 if funct7 == 0 => with_immediate(kind::SLLW, rd, rs1, 0, rs2),
            5 if funct7 == 0 => with_immediate(kind::SRLW, rd, rs1, 0, rs2),
            5 if funct7 == 0x20 => with_immediate(kind::SRAW, rd, rs1, 0, rs2),
            _ => undefined(),
        },
        0x3b if long => decode_operation(bits, true),
        0x0f if funct3 < 2 => packed(kind::FENCE, 0, 0, 0, 0, 0),
        0x2f if funct3 == 2 || long && funct3 == 3 => {
            let operation = funct7 >> 2;
            match operation {
                2 if rs2 == 0 => packed(kind::LR, rd, rs1, 0, funct3, 0),
                3 => packed(kind::SC, rd, rs1, rs2, funct3, 0),
                0 | 1 | 4 | 8 | 12 | 16 | 20 | 24 | 28 => packed(kind::AMO, rd, rs1, rs2, funct3, operation),
                _ => undefined(),
            }
        }
        0x73 => match bits {
            0x73 => packed(kind::ECALL, 0, 0, 0, 0, 0),
            0x0010_0073 => packed(kind::EBREAK, 0, 0, 0, 0, 0),
            _ if funct3 & 3 != 0 => packed(kind::CSR, rd, rs1, 0, funct3, immediate & 0xfff),
            _ => undefined(),
        },
        0x07 if funct3 == 2 || long && funct3 == 3 => with_immediate(kind::FLOAD, rd, rs1, funct3, immediate),
        0x27 if funct3 == 2 || long && funct3 == 3 => packed(kind::FSTORE, 0, rs1, rs2, funct3, (immediate & !31) | rd),
        0x43 | 0x47 | 0x4b | 0x4f if funct7 & 3 < 1 + long as u32 && funct3 != 5 && funct3 != 6 => {
            // The format is in the low bits of what else is `rs3`.
            packed(kind::FMADD + (bits >> 2 & 3), rd, rs1, rs2, funct3, funct7)
        }
        0x53 if funct7 & 3 < 1 + long as u32 => decode_float(bits, long),
        _ => undefined(),
    }
}

/// An operation with an immediate value.
#[routine(callee)]
fn decode_immediate(rd: u32, rs1: u32, funct3: u32, immediate: u32, long: bool) -> Decoded {
    let shift = immediate & if long { 63 } else { 31 };
    let above = immediate & 0xfff & !shift;
    match funct3 {
        1 if above == 0 => with_immediate(kind::SLL, rd, rs1, 0, shift),
        5 if above == 0 => with_immediate(kind::SRL, rd, rs1, 0, shift),
        5 if above == 0x400 => with_immediate(kind::SRA, rd, rs1, 0, shift),
        1 | 5 => undefined(),
        // The kinds are in the order of `funct3`, with a subtraction behind the sum and an arithmetic shift behind the other.
        0 => with_immediate(kind::ADD, rd, rs1, 0, immediate),
        2..=4 => with_immediate(kind::SLT + funct3 - 2, rd, rs1, 0, immediate),
        _ => with_immediate(kind::OR + funct3 - 6, rd, rs1, 0, immediate),
    }
}

/// An operation of two registers, `short` if of their low words.
#[routine(callee)]
fn decode_operation(bits: u32, short: bool) -> Decoded {
    let funct3 = bits >> 12 & 7;
    let kind = match bits >> 25 {
        0 if short => match funct3 {
            0 => kind::ADDW,
            1 => kind::SLLW,
            5 => kind::SRLW,
            _ => kind::UNDEFINED,
        },
        0 => match funct3 {
            0 => kind::ADD,
            1 => kind::SLL,
            2 => kind::SLT,
            3 => kind::SLTU,
            4 => kind::XOR,
            5 => kind::SRL,
            6 => kind::OR,
            _ => kind::AND,
        },
        0x20 if funct3 == 0 => {
            if short {
                kind::SUBW
            } else {
                kind::SUB
            }
        }
        0x20 if funct3 == 5 => {
            if short {
                kind::SRAW
            } else {
                kind::SRA
            }
        }
        1 if !short => kind::MUL + funct3,
        1 if funct3 == 0 => kind::MULW,
        1 if funct3 > 3 => kind::DIVW + funct3 - 4,
        _ => kind::UNDEFINED,
    };
    packed(kind, bits >> 7 & 31, bits >> 15 & 31, bits >> 20 & 31, 0, 0)
}

/// Arithmetic with floats of a format that there is.
#[routine(callee)]
fn decode_float(bits: u32, long: bool) -> Decoded {
    let rs2 = bits >> 20 & 31;
    let funct3 = bits >> 12 & 7;
    let funct7 = bits >> 25;
    let integers = if long { 4 } else { 2 };
    let other = funct7 & 1 ^ 1;
    let rounds = funct3 != 5 && funct3 != 6;
    let kind = match funct7 >> 2 {
        0..=3 if rounds => kind::FOP,
        0x0b if rs2 == 0 && rounds => kind::FOP,
        4 if funct3 < 3 => kind::FOP,
        5 if funct3 < 2 => kind::FOP,
        8 if long && rs2 == other && rounds => kind::FOP,
        0x14 if funct3 < 3 => kind::FOPX,
        0x18 if rs2 < integers && rounds => kind::FOPX,
        0x1a if rs2 < integers && rounds => kind::FOP,
        0x1c if rs2 == 0 && funct3 < 2 => kind::FOPX,
        0x1e if rs2 == 0 && funct3 == 0 => kind::FOP,
        _ => kind::UNDEFINED,
    };
    packed(kind, bits >> 7 & 31, bits >> 15 & 31, rs2, funct3, funct7)
}

/// An instruction of 16 bits.
#[routine(callee)]
fn decode_compressed(c: u32, long: bool) -> Decoded {
    let rd = c >> 7 & 31;
    let rs2 = c >> 2 & 31;
    // Registers 8 to 15.
    let low = 8 + (c >> 2 & 7);
    let high = 8 + (c >> 7 & 7);
    // Offsets of words and of double words.
    let word = (c >> 7 & 0x38) | (c >> 4 & 4) | (c << 1 & 0x40);
    let double = (c >> 7 & 0x38) | (c << 1 & 0xc0);
    let small = extended((c >> 7 & 0x20) | (c >> 2 & 0x1f), 6);
    match (c & 3) << 3 | c >> 13 {
        0 => {
            let size = (c >> 7 & 0x30) | (c >> 1 & 0x3c0) | (c >> 4 & 4) | (c >> 2 & 8);
            if size == 0 {
                undefined()
            } else {
                with_immediate(kind::ADD, low, 2, 0, size)
            }
        }
        1 if long => with_immediate(kind::FLOAD, low, high, 3, double),
        2 => with_immediate(kind::LOAD, low, high, 2, word),
        3 if long => with_immediate(kind::LOAD, low, high, 3, double),
        3 => with_immediate(kind::FLOAD, low, high, 2, word),
        5 if long => packed(kind::FSTORE, 0, high, low, 3, double),
        6 => packed(kind::STORE, 0, high, low, 2, word),
        7 if long => packed(kind::STORE, 0, high, low, 3, double),
        7 => packed(kind::FSTORE, 0, high, low, 2, word),
        8 => with_immediate(kind::ADD, rd, rd, 0, small),
        9 if long => {
            if rd == 0 {
                undefined()
            } else {
                with_immediate(kind::ADDW, rd, rd, 0, small)
            }
        }
        9 => with_immediate(kind::JAL, 1, 0, 0, jump_offset(c)),
        10 => with_immediate(kind::ADD, rd, 0, 0, small),
        11 if rd == 2 => {
            let size = (c >> 3 & 0x200) | (c >> 2 & 0x10) | (c << 1 & 0x40) | (c << 4 & 0x180) | (c << 3 & 0x20);
            if size == 0 {
                undefined()
            } else {
                with_immediate(kind::ADD, 2, 2, 0, extended(size, 10))
            }
        }
        11 => {
            if small == 0 {
                undefined()
            } else {
                with_immediate(kind::ADD, rd, 0, 0, small << 12)
            }
        }
        12 => decode_compressed_operation(c, high, low, small, long),
        13 => with_immediate(kind::JAL, 0, 0, 0, jump_offset(c)),
        14 => packed(kind::BEQ, 0, high, 0, 0, branch_offset(c)),
        15 => packed(kind::BNE, 0, high, 0, 0, branch_offset(c)),
        16 if long || c & 0x1000 == 0 => with_immediate(kind::SLL, rd, rd, 0, small & 63),
        17 if long => with_immediate(kind::FLOAD, rd, 2, 3, double_behind_stack(c)),
        18 if rd != 0 => with_immediate(kind::LOAD, rd, 2, 2, word_behind_stack(c)),
        19 if long && rd != 0 => with_immediate(kind::LOAD, rd, 2, 3, double_behind_stack(c)),
        19 if !long => with_immediate(kind::FLOAD, rd, 2, 2, word_behind_stack(c)),
        20 => {
            let links = c >> 12 & 1;
            if rs2 != 0 {
                packed(kind::ADD, rd, if links != 0 { rd } else { 0 }, rs2, 0, 0)
            } else if rd != 0 {
                with_immediate(kind::JALR, links, rd, 0, 0)
            } else if links != 0 {
                packed(kind::EBREAK, 0, 0, 0, 0, 0)
            } else {
                undefined()
            }
        }
        21 if long => packed(kind::FSTORE, 0, 2, rs2, 3, (c >> 7 & 0x38) | (c >> 1 & 0x1c0)),
        22 => packed(kind::STORE, 0, 2, rs2, 2, (c >> 7 & 0x3c) | (c >> 1 & 0xc0)),
        23 if long => packed(kind::STORE, 0, 2, rs2, 3, (c >> 7 & 0x38) | (c >> 1 & 0x1c0)),
        23 => packed(kind::FSTORE, 0, 2, rs2, 2, (c >> 7 & 0x3c) | (c >> 1 & 0xc0)),
        _ => undefined(),
    }
}

#[routine(callee)]
fn word_behind_stack(c: u32) -> u32 {
    (c >> 7 & 0x20) | (c >> 2 & 0x1c) | (c << 4 & 0xc0)
}

#[routine(callee)]
fn double_behind_stack(c: u32) -> u32 {
    (c >> 7 & 0x20) | (c >> 2 & 0x18) | (c << 4 & 0x1c0)
}

#[routine(callee)]
fn jump_offset(c: u32) -> u32 {
    let high = (c >> 1 & 0x800) | (c << 2 & 0x400) | (c >> 1 & 0x300) | (c << 1 & 0x80) | (c >> 1 & 0x40);
    extended(high | (c << 3 & 0x20) | (c >> 7 & 0x10) | (c >> 2 & 0xe), 12)
}

#[routine(callee)]
fn branch_offset(c: u32) -> u32 {
    extended(
        (c >> 4 & 0x100) | (c << 1 & 0xc0) | (c << 3 & 0x20) | (c >> 7 & 0x18) | (c >> 2 & 6),
        9,
    )
}

/// Shifts, and operations of two of the registers 8 to 15.
#[routine(callee)]
fn decode_compressed_operation(c: u32, rd: u32, rs2: u32, small: u32, long: bool) -> Decoded {
    let fits = long || c & 0x1000 == 0;
    match c >> 10 & 3 {
        0 if fits => with_immediate(kind::SRL, rd, rd, 0, small & 63),
        1 if fits => with_immediate(kind::SRA, rd, rd, 0, small & 63),
        2 => with_immediate(kind::AND, rd, rd, 0, small),
        3 => {
            let kind = match (c >> 10 & 4) | (c >> 5 & 3) {
                0 => kind::SUB,
                1 => kind::XOR,
                2 => kind::OR,
                3 => kind::AND,
                4 if long => kind::SUBW,
                5 if long => kind::ADDW,
                _ => kind::UNDEFINED,
            };
            packed(kind, rd, rd, rs2, 0, 0)
        }
        _ => undefined(),
    }
}
