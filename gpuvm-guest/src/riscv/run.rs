//! The emulator: fetch, one `match` of the decoded kind, and what stops a guest.

use gpuvm::prelude::*;

use super::cpu::{Cpu, NOTHING_RESERVED};
use super::decode::{Decoded, ENTRY, IMMEDIATE, WIDE, decode, kind};
use super::float::{arithmetic, boxed, fused, rounding, to_integer};
use super::register::Register;
use crate::routines::event::{
    BREAKPOINT, BUDGET, CALL, ENTERED, Event, FETCH, LOAD, MISALIGNED, NEEDS_FLOATS, Resume, STORE, UNDEFINED,
};
use crate::routines::memory::Memory;

/// A guest of a machine with registers of 32 bits and no floats in its program.
#[routine(id = "gpuvm-guest.riscv32")]
pub(crate) fn riscv32(cpu: &mut Cpu<u32>, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    run::<u32, false>(cpu, own, shared, resume)
}

/// The same with floats.
#[routine(id = "gpuvm-guest.riscv32f")]
pub(crate) fn riscv32f(cpu: &mut Cpu<u32>, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    run::<u32, true>(cpu, own, shared, resume)
}

/// A guest of a machine with registers of 64 bits and no floats in its program.
#[routine(id = "gpuvm-guest.riscv64")]
pub(crate) fn riscv64(cpu: &mut Cpu<u64>, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    run::<u64, false>(cpu, own, shared, resume)
}

/// The same with floats.
#[routine(id = "gpuvm-guest.riscv64fd")]
pub(crate) fn riscv64fd(cpu: &mut Cpu<u64>, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    run::<u64, true>(cpu, own, shared, resume)
}

/// Runs a guest until it stops.
#[routine(callee)]
fn run<X: Register, const FLOATS: bool>(cpu: &mut Cpu<X>, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
    let mut event = Event::none();
    if !resume.go {
        return event;
    }
    if resume.answered {
        cpu.x[10] = X::wrapping(resume.answer);
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
        let Decoded { word, immediate } = fetch::<X>(&mut memory, pc);
        if word & ENTRY != 0 && budget.wrapping_sub(left) >= patience {
            stop = ENTERED;
            break;
        }
        let length = if word & WIDE != 0 { X::of(4) } else { X::of(2) };
        let mut rd = word >> 8 & 31;
        let rs2 = word >> 18 & 31;
        let funct3 = word >> 23 & 7;
        let a = cpu.x[(word >> 13 & 31) as usize];
        let offset = X::signed(immediate);
        let b = if word & IMMEDIATE != 0 {
            offset
        } else {
            cpu.x[rs2 as usize]
        };
        let next = pc.plus(length);
        let mut target = next;
        let mut result = X::of(0);
        match word & 0xff {
            kind::ADD => result = a.plus(b),
            kind::SUB => result = a.minus(b),
            kind::SLL => result = a.shifted_left(b.low()),
            kind::SLT => result = X::of(u32::from(a.below_signed(b))),
            kind::SLTU => result = X::of(u32::from(a.below(b))),
            kind::XOR => result = a.differing(b),
            kind::SRL => result = a.shifted_right(b.low()),
            kind::SRA => result = a.shifted_signed(b.low()),
            kind::OR => result = a.either(b),
            kind::AND => result = a.both(b),
            kind::ADDW => result = X::signed(a.low().plus(b.low())),
            kind::SUBW => result = X::signed(a.low().minus(b.low())),
            kind::SLLW => result = X::signed(a.low().shifted_left(b.low())),
            kind::SRLW => result = X::signed(a.low().shifted_right(b.low())),
            kind::SRAW => result = X::signed(a.low().shifted_signed(b.low())),
            kind::MUL => result = a.times(b),
            kind::MULH => result = a.times_high(b),
            kind::MULHSU => result = a.times_high_mixed(b),
            kind::MULHU => result = a.times_high_unsigned(b),
            kind::DIV => result = a.divided(b),
            kind::DIVU => result = a.divided_unsigned(b),
            kind::REM => result = a.remainder(b),
            kind::REMU => result = a.remainder_unsigned(b),
            kind::MULW => result = X::signed(a.low().times(b.low())),
            kind::DIVW => result = X::signed(a.low().divided(b.low())),
            kind::DIVUW => result = X::signed(a.low().divided_unsigned(b.low())),
            kind::REMW => result = X::signed(a.low().remainder(b.low())),
            kind::REMUW => result = X::signed(a.low().remainder_unsigned(b.low())),
            kind::AUIPC => result = pc.plus(offset),
            kind::JAL => {
                result = next;
                target = pc.plus(offset);
            }
            kind::JALR => {
                result = next;
                target = a.plus(offset).both(X::signed(0xffff_fffe));
            }
            kind::LOAD => result = load::<X>(&mut memory, a.plus(offset), funct3),
            kind::STORE => store::<X>(&mut memory, a.plus(offset), funct3, b),
            kind::BEQ => {
                if a.same(b) {
                    target = pc.plus(offset);
                }
            }
            kind::BNE => {
                if !a.same(b) {
                    target = pc.plus(offset);
                }
            }
            kind::BLT => {
                if a.below_signed(b) {
                    target = pc.plus(offset);
                }
            }
            kind::BGE => {
                if !a.below_signed(b) {
                    target = pc.plus(offset);
                }
            }
            kind::BLTU => {
                if a.below(b) {
                    target = pc.plus(offset);
                }
            }
            kind::BGEU => {
                if !a.below(b) {
                    target = pc.plus(offset);
                }
            }
            kind::LR => result = reserve::<X>(cpu, &mut memory, a, funct3),
            kind::SC => result = store_reserved::<X>(cpu, &mut memory, a, funct3, b),
            kind::AMO => result = atomic::<X>(&mut memory, a, funct3, immediate, b),
            kind::FENCE => {}
            kind::ECALL => stop = CALL,
            kind::EBREAK => stop = BREAKPOINT,
            kind::CSR => {
                let retired = cpu.retired.wrapping_add(u64::from(budget.wrapping_sub(left)));
                let mask = if funct3 & 4 != 0 { X::of(word >> 13 & 31) } else { a };
                let writes = funct3 & 3 == 1 || word >> 13 & 31 != 0;
                match read_status::<X>(cpu, immediate, retired, writes) {
                    Some(old) => {
                        result = old;
                        let new = match funct3 & 3 {
                            1 => mask.low(),
                            2 => old.low() | mask.low(),
                            _ => old.low() & !mask.low(),
                        };
                        if writes {
                            write_status::<X>(cpu, immediate, new);
                        }
                    }
                    None => stop = UNDEFINED,
                }
            }
            kind::UNDEFINED => {
                // What could not be fetched comes as that as well.
                if memory.fault == 0 {
                    stop = UNDEFINED;
                }
            }
            floats => {
                if !FLOATS {
                    stop = NEEDS_FLOATS;
                } else {
                    let mode = rounding(funct3, cpu.fcsr);
                    let (first, funct7) = (word >> 13 & 31, immediate);
                    match floats {
                        kind::FLOAD => {
                            let loaded = load::<X>(&mut memory, a.plus(offset), funct3);
                            if memory.fault == 0 {
                                let bits = if funct3 == 2 {
                                    u64::from(loaded.low())
                                } else {
                                    loaded.double()
                                };
                                cpu.f[rd as usize] = boxed::<X>(bits, funct3 == 3);
                            }
                            rd = 0;
                        }
                        kind::FSTORE => store::<X>(&mut memory, a.plus(offset), funct3, cpu.f[rs2 as usize]),
                        kind::FOPX => {
                            if mode > 4 && immediate >> 2 == 0x18 {
                                stop = UNDEFINED;
                            } else {
                                result = to_integer::<X>(cpu, first, rs2, funct7, funct3, mode);
                            }
                        }
                        kind::FOP => {
                            // Signs, the smaller and the larger, and moves are not rounded.
                            let place = immediate >> 2;
                            if mode > 4 && place != 4 && place != 5 && place != 0x1e {
                                stop = UNDEFINED;
                            } else {
                                cpu.f[rd as usize] = arithmetic::<X>(cpu, a, first, rs2, funct7, funct3, mode);
                            }
                            rd = 0;
                        }
                        kind::FMADD | kind::FMSUB | kind::FNMSUB | kind::FNMADD => {
                            if mode > 4 {
                                stop = UNDEFINED;
                            } else {
                                let (left, right) = (cpu.f[first as usize], cpu.f[rs2 as usize]);
                                cpu.f[rd as usize] = fused::<X>(cpu, floats, left, right, funct7, mode);
                            }
                            rd = 0;
                        }
                        _ => stop = UNDEFINED,
                    }
                }
            }
        }
        if memory.fault != 0 {
            stop = memory.fault;
        }
        if stop == 0 || stop == CALL {
            if rd != 0 {
                cpu.x[rd as usize] = result;
            }
            if let kind::JAL | kind::JALR | kind::BEQ..=kind::BGEU = word & 0xff {
                memory.cover(pc.low(), target.low());
            }
            pc = target;
            left = left.wrapping_sub(1);
        }
    }
    memory.close();
    cpu.pc = pc;
    event.kind = stop;
    event.retired = budget.wrapping_sub(left);
    event.pc = pc.double();
    cpu.retired = cpu.retired.wrapping_add(u64::from(event.retired));
    if stop == CALL {
        event.detail = cpu.x[17].double();
        for i in 0..6 {
            event.arguments[i] = cpu.x[10 + i].double();
        }
    } else if stop == UNDEFINED || stop == BREAKPOINT {
        event.detail = pc.double();
    } else if memory.fault != 0 {
        event.detail = memory.address;
    }
    event
}

/// The instruction at an address. One that cannot be fetched is undefined, with a fault.
#[routine(callee)]
fn fetch<X: Register>(memory: &mut Memory<'_>, pc: X) -> Decoded {
    if !pc.is_address() {
        memory.refuse(FETCH, pc.double());
        return Decoded {
            word: kind::UNDEFINED,
            immediate: 0,
        };
    }
    let address = pc.low();
    let at = memory.decoded(address, 2);
    if at != 0 {
        let word = memory.shared(at);
        if word & 0xff != kind::LATER {
            return Decoded {
                word,
                immediate: memory.shared(at.wrapping_add(1)),
            };
        }
    }
    if memory.fault != 0 {
        return Decoded {
            word: kind::UNDEFINED,
            immediate: 0,
        };
    }
    let low = memory.parcel(address);
    let mut bits = low;
    if low & 3 == 3 {
        bits |= memory.parcel(address.wrapping_add(2)) << 16;
        if memory.fault != 0 {
            return Decoded {
                word: kind::UNDEFINED,
                immediate: 0,
            };
        }
    }
    decode(bits, X::WIDTH == 64)
}

/// Loads by `funct3`.
#[routine(callee)]
fn load<X: Register>(memory: &mut Memory<'_>, address: X, funct3: u32) -> X {
    if !address.is_address() {
        memory.refuse(LOAD, address.double());
        return X::of(0);
    }
    if X::WIDTH == 64 && funct3 == 3 {
        return X::wrapping(memory.load_double(address.low()));
    }
    let value = memory.load(address.low(), funct3 & 3);
    if funct3 & 4 != 0 {
        return X::of(value);
    }
    let above = 32 - (8 << (funct3 & 3));
    X::signed(((value << above) as i32 >> above) as u32)
}

/// Stores by `funct3`.
#[routine(callee)]
fn store<X: Register>(memory: &mut Memory<'_>, address: X, funct3: u32, value: X) {
    if !address.is_address() {
        memory.refuse(STORE, address.double());
    } else if X::WIDTH == 64 && funct3 == 3 {
        memory.store_double(address.low(), value.double());
    } else {
        memory.store(address.low(), funct3 & 3, value.low());
    }
}

/// Whether an address is one for an atomic operation of a width; else there is a fault.
#[routine(callee)]
fn aligned<X: Register>(memory: &mut Memory<'_>, address: X, funct3: u32) -> bool {
    if address.low() & ((1 << funct3) - 1) != 0 {
        memory.refuse(MISALIGNED, address.double());
        return false;
    }
    true
}

#[routine(callee)]
fn reserve<X: Register>(cpu: &mut Cpu<X>, memory: &mut Memory<'_>, address: X, funct3: u32) -> X {
    if !aligned::<X>(memory, address, funct3) {
        return X::of(0);
    }
    let value = load::<X>(memory, address, funct3);
    if memory.fault == 0 {
        cpu.reserved = address.low();
        cpu.reserved_value = value;
    }
    value
}

/// 0 if it has stored, else 1.
#[routine(callee)]
fn store_reserved<X: Register>(cpu: &mut Cpu<X>, memory: &mut Memory<'_>, address: X, funct3: u32, value: X) -> X {
    if !aligned::<X>(memory, address, funct3) {
        return X::of(0);
    }
    let reserved = cpu.reserved;
    cpu.reserved = NOTHING_RESERVED;
    if !address.is_address() || reserved != address.low() {
        return X::of(1);
    }
    let there = load::<X>(memory, address, funct3);
    if !there.same(cpu.reserved_value) {
        return X::of(1);
    }
    store::<X>(memory, address, funct3, value);
    X::of(0)
}

/// An atomic operation by `funct5`. Gives what was there.
#[routine(callee)]
fn atomic<X: Register>(memory: &mut Memory<'_>, address: X, funct3: u32, operation: u32, value: X) -> X {
    if !aligned::<X>(memory, address, funct3) {
        return X::of(0);
    }
    let old = load::<X>(memory, address, funct3);
    if memory.fault != 0 {
        return X::of(0);
    }
    // Of low words the order is the same when they are extended.
    let value = if funct3 == 2 { X::signed(value.low()) } else { value };
    let new = match operation {
        0 => old.plus(value),
        1 => value,
        4 => old.differing(value),
        8 => old.either(value),
        12 => old.both(value),
        16 => {
            if old.below_signed(value) {
                old
            } else {
                value
            }
        }
        20 => {
            if old.below_signed(value) {
                value
            } else {
                old
            }
        }
        24 => {
            if old.below(value) {
                old
            } else {
                value
            }
        }
        _ => {
            if old.below(value) {
                value
            } else {
                old
            }
        }
    };
    store::<X>(memory, address, funct3, new);
    old
}

/// A control and status register, if there is such a one that may be read, and written to where it is.
#[routine(callee)]
fn read_status<X: Register>(cpu: &Cpu<X>, number: u32, retired: u64, writes: bool) -> Option<X> {
    match number {
        1 => Some(X::of(cpu.fcsr & 31)),
        2 => Some(X::of(cpu.fcsr >> 5 & 7)),
        3 => Some(X::of(cpu.fcsr & 0xff)),
        // A cycle, and a tick of time, are an instruction.
        0xc00..=0xc02 if !writes => Some(X::wrapping(retired)),
        0xc80..=0xc82 if !writes && X::WIDTH == 32 => Some(X::of((retired >> 32) as u32)),
        _ => None,
    }
}

#[routine(callee)]
fn write_status<X: Register>(cpu: &mut Cpu<X>, number: u32, value: u32) {
    cpu.fcsr = match number {
        1 => (cpu.fcsr & !31) | (value & 31),
        2 => (cpu.fcsr & 31) | (value & 7) << 5,
        _ => value & 0xff,
    };
}
