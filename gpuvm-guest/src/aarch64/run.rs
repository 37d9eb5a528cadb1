//! The emulator: fetch, one `match` of the decoded kind, and what stops a guest.

use gpuvm::prelude::*;

use super::cpu::{Cpu, NAMEABLE, NOTHING_RESERVED, REGISTERS};
use super::decode::{
    AMOUNT, CONDITION, Decoded, ENTRY, EXTENDED, FLAGS, INVERTED, LOADS, LONG, OTHER, SHIFTED, SP, WAY, WRITES_BACK,
    ZR, decode, kind,
};
use super::float::execute_float;
use super::memory::{access, access_at_once, address_of, exclusive, literal, pair, store_at_once};
use crate::routines::event::{
    BREAKPOINT, BUDGET, CALL, ENTERED, Event, FETCH, MISALIGNED, NEEDS_FLOATS, NEEDS_WHOLE, Resume, UNDEFINED,
};
use crate::routines::memory::Memory;

/// The core: what programs consist of. It is small enough for a kernel of its own, and leaves to the whole emulator what is rare or takes much code.
#[routine(id = "gpuvm-guest.aarch64.core")]
pub(crate) fn aarch64_core(cpu: &mut Cpu, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    run::<false, false>(cpu, own, shared, resume)
}

/// The core with floats.
#[routine(id = "gpuvm-guest.aarch64f.core")]
pub(crate) fn aarch64f_core(cpu: &mut Cpu, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    run::<false, true>(cpu, own, shared, resume)
}

/// A guest without floats in its program.
#[routine(id = "gpuvm-guest.aarch64")]
pub(crate) fn aarch64(cpu: &mut Cpu, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    run::<true, false>(cpu, own, shared, resume)
}

/// The same with floats.
#[routine(id = "gpuvm-guest.aarch64f")]
pub(crate) fn aarch64f(cpu: &mut Cpu, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    run::<true, true>(cpu, own, shared, resume)
}

/// A sum with a carry in, and the flags of it.
#[routine(callee)]
fn sum(a: u64, b: u64, carry: u32, long: bool) -> (u64, u32) {
    if long {
        let half = a.wrapping_add(b);
        let whole = half.wrapping_add(u64::from(carry));
        let carried = half < a || whole < half;
        let overflown = ((a ^ whole) & (b ^ whole)) >> 63;
        let flags = negative_or_zero(whole, true) | u32::from(carried) << 1 | overflown as u32;
        (whole, flags)
    } else {
        let (a, b) = (a as u32, b as u32);
        let half = a.wrapping_add(b);
        let whole = half.wrapping_add(carry);
        let carried = half < a || whole < half;
        let overflown = ((a ^ whole) & (b ^ whole)) >> 31;
        let flags = negative_or_zero(u64::from(whole), false) | u32::from(carried) << 1 | overflown;
        (u64::from(whole), flags)
    }
}

#[routine(callee)]
fn negative_or_zero(value: u64, long: bool) -> u32 {
    let negative = if long { value >> 63 } else { value >> 31 & 1 };
    let zero = if long { value == 0 } else { value as u32 == 0 };
    (negative as u32) << 3 | u32::from(zero) << 2
}

/// Whether a condition holds.
#[routine(callee)]
pub(crate) fn holds(condition: u32, nzcv: u32) -> bool {
    let (n, z, c, v) = (nzcv & 8 != 0, nzcv & 4 != 0, nzcv & 2 != 0, nzcv & 1 != 0);
    let holds = match condition >> 1 {
        0 => z,
        1 => c,
        2 => n,
        3 => v,
        4 => c && !z,
        5 => n == v,
        6 => n == v && !z,
        _ => return true,
    };
    holds != (condition & 1 != 0)
}

/// A value shifted: 0 to 3 for left, right, right with the sign, rotated right.
#[routine(callee)]
fn shifted(value: u64, way: u32, by: u32, long: bool) -> u64 {
    if long {
        return match way {
            0 => value.wrapping_shl(by),
            1 => value.wrapping_shr(by),
            2 => (value as i64).wrapping_shr(by) as u64,
            _ => value.rotate_right(by),
        };
    }
    let word = value as u32;
    u64::from(match way {
        0 => word.wrapping_shl(by),
        1 => word.wrapping_shr(by),
        2 => (word as i32).wrapping_shr(by) as u32,
        _ => word.rotate_right(by),
    })
}

/// A value extended: its low 8, 16, 32 or 64 bits, with zeros or from 4 on with the sign, and shifted.
#[routine(callee)]
pub(crate) fn extended(value: u64, way: u32, by: u32) -> u64 {
    let above = 64 - (8 << (way & 3));
    let top = value << above;
    let whole = if way & 4 != 0 {
        (top as i64 >> above) as u64
    } else {
        top >> above
    };
    whole << by
}

/// Runs a guest until it stops.
#[routine(callee)]
fn run<const WHOLE: bool, const FLOATS: bool>(cpu: &mut Cpu, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    let mut event = Event::none();
    if !resume.go {
        return event;
    }
    let mut nzcv = cpu.nzcv;
    let mut x = [0; NAMEABLE];
    x[..REGISTERS].copy_from_slice(&cpu.x);
    if resume.answered {
        x[0] = resume.answer;
    }
    let mut memory = Memory::new(own, shared);
    let mut pc = cpu.pc;
    let budget = resume.budget;
    let mut left = budget;
    let patience = if memory.has_changes() {
        u32::MAX
    } else {
        resume.patience
    };
    let mut stop = 0;
    while stop == 0 {
        if left == 0 {
            stop = BUDGET;
            break;
        }
        let Decoded {
            word,
            fields,
            immediate,
        } = fetch::<WHOLE>(&mut memory, pc);
        if fields & ENTRY != 0 && budget.wrapping_sub(left) >= patience {
            stop = ENTERED;
            break;
        }
        let long = fields & LONG != 0;
        let rd = (word >> 8 & 63) as usize;
        let mut writes = rd as u32;
        let a = x[(word >> 14 & 63) as usize];
        let mut b = immediate;
        if fields & (SHIFTED | EXTENDED) != 0 {
            let register = x[(word >> 20 & 63) as usize];
            let (way, by) = (fields >> WAY & 7, fields >> AMOUNT & 63);
            b = if fields & SHIFTED != 0 {
                shifted(register, way, by, long)
            } else {
                extended(register, way, by)
            };
        }
        if fields & INVERTED != 0 {
            b = !b;
        }
        let mut target = pc.wrapping_add(4);
        let mut result = 0u64;
        match word & 0xff {
            kind::ADD => {
                let (whole, flags) = sum(a, b, 0, long);
                result = whole;
                if fields & FLAGS != 0 {
                    nzcv = flags;
                }
            }
            kind::SUB => {
                let (whole, flags) = sum(a, !b, 1, long);
                result = whole;
                if fields & FLAGS != 0 {
                    nzcv = flags;
                }
            }
            kind::ADC => {
                let (whole, flags) = sum(a, b, nzcv >> 1 & 1, long);
                result = whole;
                if fields & FLAGS != 0 {
                    nzcv = flags;
                }
            }
            kind::SBC => {
                let (whole, flags) = sum(a, !b, nzcv >> 1 & 1, long);
                result = whole;
                if fields & FLAGS != 0 {
                    nzcv = flags;
                }
            }
            kind::AND => {
                result = a & b;
                if fields & FLAGS != 0 {
                    nzcv = negative_or_zero(result, long);
                }
            }
            kind::ORR => result = a | b,
            kind::EOR => result = a ^ b,
            kind::MOVK => {
                let mask = 0xffff << (fields >> AMOUNT & 63);
                result = (x[rd] & !mask) | immediate;
            }
            kind::ADR => result = pc.wrapping_add(immediate),
            kind::ADRP => result = (pc & !0xfff).wrapping_add(immediate),
            kind::SBFM | kind::BFM | kind::UBFM => {
                let (from, to) = (fields >> AMOUNT & 63, fields >> CONDITION & 63);
                let field = a >> from & immediate;
                result = match word & 0xff {
                    kind::UBFM => field << to,
                    kind::BFM => (x[rd] & !(immediate << to)) | field << to,
                    _ => {
                        let sign = immediate ^ immediate >> 1;
                        (field ^ sign).wrapping_sub(sign) << to
                    }
                };
            }
            kind::EXTR => {
                // `b` is `rm`, shifted left by as much: what is wanted is the other way.
                let by = fields >> AMOUNT & 63;
                let low = x[(word >> 20 & 63) as usize];
                result = if by == 0 {
                    low
                } else if long {
                    low >> by | a << (64 - by)
                } else {
                    u64::from((low as u32) >> by | (a as u32) << (32 - by))
                };
            }
            kind::MADD => result = x[(word >> 26) as usize].wrapping_add(a.wrapping_mul(b)),
            kind::MSUB => result = x[(word >> 26) as usize].wrapping_sub(a.wrapping_mul(b)),
            kind::SMADDL | kind::SMSUBL => {
                let product = (a as i32 as i64).wrapping_mul(b as i32 as i64) as u64;
                let addend = x[(word >> 26) as usize];
                result = if word & 0xff == kind::SMADDL {
                    addend.wrapping_add(product)
                } else {
                    addend.wrapping_sub(product)
                };
            }
            kind::UMADDL | kind::UMSUBL => {
                let product = (a & 0xffff_ffff).wrapping_mul(b & 0xffff_ffff);
                let addend = x[(word >> 26) as usize];
                result = if word & 0xff == kind::UMADDL {
                    addend.wrapping_add(product)
                } else {
                    addend.wrapping_sub(product)
                };
            }
            kind::SMULH => result = ((a as i64 as i128).wrapping_mul(b as i64 as i128) >> 64) as u64,
            kind::UMULH => result = (u128::from(a).wrapping_mul(u128::from(b)) >> 64) as u64,
            kind::UDIV => {
                if long {
                    result = a.checked_div(b).unwrap_or(0);
                } else {
                    let (a, b) = (a as u32, b as u32);
                    result = u64::from(a.checked_div(b).unwrap_or(0));
                }
            }
            kind::SDIV => {
                if long {
                    result = if b == 0 {
                        0
                    } else {
                        (a as i64).wrapping_div(b as i64) as u64
                    };
                } else {
                    let (a, b) = (a as u32 as i32, b as u32 as i32);
                    result = if b == 0 { 0 } else { a.wrapping_div(b) as u32 as u64 };
                }
            }
            kind::SHIFT => result = shifted(a, fields >> OTHER & 3, b as u32, long),
            kind::CRC32 if WHOLE => result = u64::from(checksum(a as u32, b, fields >> OTHER & 7)),
            kind::RBIT if WHOLE => {
                result = if long {
                    a.reverse_bits()
                } else {
                    u64::from((a as u32).reverse_bits())
                }
            }
            kind::REV16 if WHOLE => result = a >> 8 & 0x00ff_00ff_00ff_00ff | (a & 0x00ff_00ff_00ff_00ff) << 8,
            kind::REV32 => result = a.swap_bytes().rotate_right(32),
            kind::REV => {
                result = if long {
                    a.swap_bytes()
                } else {
                    u64::from((a as u32).swap_bytes())
                }
            }
            kind::CLZ => {
                result = u64::from(if long {
                    a.leading_zeros()
                } else {
                    (a as u32).leading_zeros()
                })
            }
            kind::CLS if WHOLE => {
                let count = if long {
                    ((a ^ (a as i64 >> 63) as u64) << 1 | 1).leading_zeros()
                } else {
                    let word = a as u32;
                    ((word ^ (word as i32 >> 31) as u32) << 1 | 1).leading_zeros()
                };
                result = u64::from(count);
            }
            kind::CSEL => result = if holds(fields >> CONDITION & 15, nzcv) { a } else { b },
            kind::CSINC => {
                result = if holds(fields >> CONDITION & 15, nzcv) {
                    a
                } else {
                    b.wrapping_add(1)
                }
            }
            kind::CSINV => result = if holds(fields >> CONDITION & 15, nzcv) { a } else { !b },
            kind::CSNEG => {
                result = if holds(fields >> CONDITION & 15, nzcv) {
                    a
                } else {
                    b.wrapping_neg()
                }
            }
            kind::CCMN | kind::CCMP => {
                let mut flags = fields >> OTHER & 15;
                if holds(fields >> CONDITION & 15, nzcv) {
                    let negated = word & 0xff == kind::CCMP;
                    let (_, set) = sum(a, if negated { !b } else { b }, u32::from(negated), long);
                    flags = set;
                }
                nzcv = flags;
            }
            kind::B => {
                result = target;
                target = pc.wrapping_add(immediate);
            }
            kind::BCOND => {
                if holds(fields >> CONDITION & 15, nzcv) {
                    target = pc.wrapping_add(immediate);
                }
            }
            kind::CBZ | kind::CBNZ => {
                let zero = if long { a == 0 } else { a as u32 == 0 };
                if zero == (word & 0xff == kind::CBZ) {
                    target = pc.wrapping_add(immediate);
                }
            }
            kind::TBZ | kind::TBNZ => {
                let zero = a >> (fields >> AMOUNT & 63) & 1 == 0;
                if zero == (word & 0xff == kind::TBZ) {
                    target = pc.wrapping_add(immediate);
                }
            }
            kind::BR => {
                result = target;
                target = a;
            }
            kind::MEMORY | kind::PAIR | kind::LITERAL if !WHOLE => {
                let address = if word & 0xff == kind::LITERAL {
                    pc.wrapping_add(immediate)
                } else {
                    address_of(a, b, fields)
                };
                let is_pair = word & 0xff == kind::PAIR;
                let other = (word >> 20 & 63) as usize;
                if fields & LOADS != 0 {
                    let (first, second) = access_at_once(&mut memory, address, fields, is_pair);
                    write_back(&mut x, &memory, word, a.wrapping_add(b), fields);
                    result = first;
                    if is_pair && memory.fault == 0 && other as u32 != ZR {
                        x[other] = second;
                    }
                } else {
                    let first = x[if is_pair { rd } else { (word >> 26) as usize }];
                    store_at_once(&mut memory, address, fields, is_pair, first, x[other]);
                    write_back(&mut x, &memory, word, a.wrapping_add(b), fields);
                    writes = ZR;
                }
            }
            kind::MEMORY => {
                let address = address_of(a, b, fields);
                result = access(&mut memory, address, x[(word >> 26) as usize], fields);
                write_back(&mut x, &memory, word, a.wrapping_add(b), fields);
            }
            kind::PAIR => {
                let address = address_of(a, b, fields);
                let (first, second) = (x[rd], x[(word >> 20 & 63) as usize]);
                let (loaded, other) = pair(&mut memory, address, first, second, fields);
                write_back(&mut x, &memory, word, a.wrapping_add(b), fields);
                if memory.fault == 0 && fields & LOADS != 0 {
                    result = loaded;
                    if word >> 20 & 63 != ZR {
                        x[(word >> 20 & 63) as usize] = other;
                    }
                } else {
                    writes = ZR;
                }
            }
            kind::LITERAL => result = literal(&mut memory, pc.wrapping_add(immediate), fields),
            kind::EXCLUSIVE if WHOLE => {
                result = exclusive(cpu, &mut x, &mut memory, word, a, fields);
                if fields & LOADS == 0 {
                    writes = word >> 20 & 63;
                }
            }
            kind::SVC => stop = CALL,
            kind::BREAK => stop = BREAKPOINT,
            kind::NOP => {}
            kind::CLREX if WHOLE => cpu.reserved = NOTHING_RESERVED,
            kind::MRS if WHOLE => {
                let retired = cpu.retired.wrapping_add(u64::from(budget.wrapping_sub(left)));
                cpu.nzcv = nzcv;
                match read_system(cpu, immediate as u32, retired) {
                    Some(value) => result = value,
                    None => stop = UNDEFINED,
                }
            }
            kind::MSR if WHOLE => {
                cpu.nzcv = nzcv;
                if !write_system(cpu, immediate as u32, a) {
                    stop = UNDEFINED;
                }
                nzcv = cpu.nzcv;
            }
            kind::UNDEFINED => {
                // What could not be fetched comes as that as well.
                if memory.fault == 0 {
                    stop = UNDEFINED;
                }
            }
            _ => {
                if FLOATS {
                    writes = ZR;
                    let decoded = Decoded {
                        word,
                        fields,
                        immediate,
                    };
                    let integer = execute_float::<WHOLE>(cpu, &mut memory, &mut nzcv, decoded, (a, b, pc));
                    if word & 0xff == kind::FTOX && fields & INVERTED == 0 || word & 0xff == kind::FMOVX {
                        writes = rd as u32;
                        result = integer;
                    }
                    write_back(&mut x, &memory, word, a.wrapping_add(b), fields);
                } else {
                    stop = if WHOLE { NEEDS_FLOATS } else { NEEDS_WHOLE };
                }
            }
        }
        if memory.fault != 0 {
            stop = memory.fault;
        }
        if stop == 0 || stop == CALL {
            if writes != ZR {
                x[writes as usize] = if long { result } else { result & 0xffff_ffff };
            }
            if let kind::B..=kind::BR = word & 0xff {
                memory.cover(pc as u32, target as u32);
            }
            pc = target;
            left = left.wrapping_sub(1);
        }
    }
    memory.close();
    cpu.x.copy_from_slice(&x[..REGISTERS]);
    cpu.nzcv = nzcv;
    cpu.pc = pc;
    event.kind = stop;
    event.retired = budget.wrapping_sub(left);
    event.pc = pc;
    cpu.retired = cpu.retired.wrapping_add(u64::from(event.retired));
    if stop == CALL {
        event.detail = x[8];
        event.arguments.copy_from_slice(&x[..6]);
    } else if stop == UNDEFINED || stop == BREAKPOINT {
        event.detail = pc;
    } else if memory.fault != 0 {
        event.detail = memory.address;
    }
    event
}

/// Changes the base register of an access that has gone through.
#[routine(callee)]
fn write_back(x: &mut [u64; NAMEABLE], memory: &Memory<'_>, word: u32, address: u64, fields: u32) {
    if fields & WRITES_BACK != 0 && memory.fault == 0 {
        let base = word >> 14 & 63;
        if base == SP || base < ZR {
            x[base as usize] = address;
        }
    }
}

/// The instruction at an address. One that cannot be fetched is undefined, with a fault.
#[routine(callee)]
fn fetch<const WHOLE: bool>(memory: &mut Memory<'_>, pc: u64) -> Decoded {
    let nothing = Decoded {
        word: kind::UNDEFINED | ZR << 8,
        fields: 0,
        immediate: 0,
    };
    if pc >> 32 != 0 || pc & 3 != 0 {
        memory.refuse(if pc & 3 != 0 { MISALIGNED } else { FETCH }, pc);
        return nothing;
    }
    let address = pc as u32;
    let at = if WHOLE {
        memory.decoded(address, 2)
    } else {
        memory.decoded_at_once(address)
    };
    if at != 0 {
        let low = u64::from(memory.shared(at.wrapping_add(2)));
        let high = u64::from(memory.shared(at.wrapping_add(3)));
        return Decoded {
            word: memory.shared(at),
            fields: memory.shared(at.wrapping_add(1)),
            immediate: low | high << 32,
        };
    }
    if !WHOLE {
        memory.refuse(NEEDS_WHOLE, pc);
    }
    if memory.fault != 0 {
        return nothing;
    }
    let low = memory.parcel(address);
    decode(low | memory.parcel(address.wrapping_add(2)) << 16)
}

/// The checksum of bytes, least significant bit first, by one of two polynomials.
#[routine(callee)]
fn checksum(start: u32, bytes: u64, which: u32) -> u32 {
    let polynomial = if which & 4 != 0 { 0x82f6_3b78 } else { 0xedb8_8320 };
    let count = 8 << (which & 3);
    let mut sum = start;
    for i in 0..count {
        let bit = (sum ^ (bytes >> i) as u32) & 1;
        sum = sum >> 1 ^ if bit != 0 { polynomial } else { 0 };
    }
    sum
}

/// A system register, by `op0`, `op1`, `CRn`, `CRm` and `op2`.
#[routine(callee)]
fn read_system(cpu: &Cpu, register: u32, retired: u64) -> Option<u64> {
    match register {
        0x5e82 => Some(cpu.tpidr),
        0x5a20 => Some(u64::from(cpu.fpcr)),
        0x5a21 => Some(u64::from(cpu.fpsr)),
        0x5a10 => Some(u64::from(cpu.nzcv) << 28),
        // The line of a cache; clearing by it is prohibited; no features; a tick of the clock is an instruction.
        0x5801 => Some(0x8444_c004),
        0x5807 => Some(0x14),
        0x4000 => Some(0x410f_d034),
        0x5f00 => Some(1_000_000_000),
        0x5f02 => Some(retired),
        _ => None,
    }
}

#[routine(callee)]
fn write_system(cpu: &mut Cpu, register: u32, value: u64) -> bool {
    match register {
        0x5e82 => cpu.tpidr = value,
        0x5a20 => cpu.fpcr = value as u32 & 0x00c0_0000,
        0x5a21 => cpu.fpsr = value as u32 & 0x0800_009f,
        0x5a10 => cpu.nzcv = (value >> 28) as u32 & 15,
        _ => return false,
    }
    true
}
