//! Scalar floats, and what compilers do to scalars with vector instructions.

use gpuvm::prelude::*;

use super::cpu::Cpu;
use super::decode::{AMOUNT, CONDITION, Decoded, FLAGS, INVERTED, LOADS, LONG, OTHER, SIGNED, SIZE, WAY, kind};
use super::memory::{address_of, load, store, store_both};
use super::run::holds;
use crate::routines::event::LOAD;
use crate::routines::memory::Memory;
use crate::routines::quick::{quick, quick_fused};
use crate::routines::soft::{AWAY, DOUBLE, DOWN, Format, HALF, NEAREST, SINGLE, UP, Unit, ZERO};

/// The flag of `FPSR` that says that a result was not exact.
const INEXACT_HERE: u32 = 16;

#[routine(callee)]
fn format_of(size: u32) -> Format {
    match size {
        1 => HALF,
        2 => SINGLE,
        _ => DOUBLE,
    }
}

/// A way of rounding by the numbers that instructions and `FPCR` use.
#[routine(callee)]
fn rounding(mode: u32) -> u32 {
    match mode {
        0 => NEAREST,
        1 => UP,
        2 => DOWN,
        3 => ZERO,
        _ => AWAY,
    }
}

#[routine(callee)]
fn unit_of(cpu: &Cpu) -> Unit {
    Unit {
        rounding: rounding(cpu.fpcr >> 22 & 3),
        flags: 0,
        arm: true,
    }
}

/// Notes flags where this machine has them.
#[routine(callee)]
fn note(cpu: &mut Cpu, flags: u32) {
    // Ours are in the opposite order.
    cpu.fpsr |= flags.reverse_bits() >> 27;
}

/// The low `1 << size` bytes of a register.
#[routine(callee)]
fn scalar(cpu: &Cpu, register: u32, size: u32) -> u64 {
    let value = cpu.v[(register & 31) as usize];
    if size > 2 {
        value
    } else {
        value & ((1u64 << (8 << size)) - 1)
    }
}

/// Sets a register whole.
#[routine(callee)]
fn set(cpu: &mut Cpu, register: u32, low: u64, high: u64) {
    cpu.v[(register & 31) as usize] = low;
    cpu.v[((register & 31) + 32) as usize] = high;
}

/// Carries out an instruction of floats, and gives what goes to a general register where it is one of those. `a` and `b` are what general registers and
/// the immediate value say.
#[routine(callee)]
pub(crate) fn execute_float(cpu: &mut Cpu, memory: &mut Memory<'_>, decoded: Decoded, a: u64, b: u64, pc: u64) -> u64 {
    let Decoded {
        word,
        fields,
        immediate,
    } = decoded;
    let (rd, rn, rm) = (word >> 8 & 63, word >> 14 & 63, word >> 20 & 63);
    let size = fields >> SIZE & 7;
    let format = format_of(size);
    match word & 0xff {
        kind::VMEMORY => {
            let address = address_of(a, b, fields);
            access(cpu, memory, address, rd, size, fields);
        }
        kind::VLITERAL => access(cpu, memory, pc.wrapping_add(immediate), rd, size, fields),
        kind::VPAIR => access_pair(cpu, memory, address_of(a, b, fields), rd, rm, fields),
        kind::FONE => {
            let result = of_one(cpu, scalar(cpu, rn, size), fields);
            set(cpu, rd, result, 0);
        }
        kind::FTWO => {
            let result = of_two(cpu, scalar(cpu, rn, size), scalar(cpu, rm, size), fields);
            set(cpu, rd, result, 0);
        }
        kind::FTHREE => {
            let minus = 1u64 << format.sign;
            let (mut x, y, mut z) = (
                scalar(cpu, rn, size),
                scalar(cpu, rm, size),
                scalar(cpu, word >> 26, size),
            );
            let which = fields >> OTHER & 3;
            if which == 1 || which == 2 {
                x ^= minus;
            }
            if which > 1 {
                z ^= minus;
            }
            let mut unit = unit_of(cpu);
            let mut result = 0;
            if unit.rounding == NEAREST && cpu.fpsr & INEXACT_HERE != 0 {
                result = quick_fused(x, y, z, size == 3);
            }
            if result == 0 {
                result = unit.multiply_add(x, y, z, format);
                note(cpu, unit.flags);
            }
            set(cpu, rd, result, 0);
        }
        kind::FCMP | kind::FCCMP => {
            let fused = word & 0xff == kind::FCCMP;
            if fused && !holds(fields >> CONDITION & 15, cpu.nzcv) {
                cpu.nzcv = fields >> OTHER & 15;
            } else {
                let with = if fused || fields >> OTHER & 1 == 0 {
                    scalar(cpu, rm, size)
                } else {
                    0
                };
                let mut unit = unit_of(cpu);
                let order = unit.compare(scalar(cpu, rn, size), with, fields >> AMOUNT & 1 != 0, format);
                note(cpu, unit.flags);
                cpu.nzcv = match order {
                    0 => 8,
                    1 => 6,
                    2 => 2,
                    _ => 3,
                };
            }
        }
        kind::FCSEL => {
            let chosen = if holds(fields >> CONDITION & 15, cpu.nzcv) {
                rn
            } else {
                rm
            };
            let value = scalar(cpu, chosen, size);
            set(cpu, rd, value, 0);
        }
        kind::FMOVI => {
            let (mut low, mut high) = (immediate, if fields & LONG != 0 { immediate } else { 0 });
            if fields & FLAGS != 0 {
                let (old_low, old_high) = (cpu.v[rd as usize], cpu.v[(rd + 32) as usize]);
                if fields >> WAY & 7 == 0 {
                    low &= old_low;
                    high &= old_high;
                } else {
                    low |= old_low;
                    high = if fields & LONG != 0 { high | old_high } else { 0 };
                }
            }
            set(cpu, rd, low, high);
        }
        kind::FTOX => {
            let mut unit = unit_of(cpu);
            unit.rounding = rounding(fields >> OTHER & 7);
            let width = if fields & LONG != 0 { 64 } else { 32 };
            let value = scalar(cpu, rn, size);
            let behind = fields >> AMOUNT & 127;
            let integer = unit.fixed(value, fields & SIGNED != 0, width, behind, format);
            note(cpu, unit.flags);
            if fields & INVERTED != 0 {
                set(cpu, rd, integer, 0);
            }
            return integer;
        }
        kind::XTOF => {
            let mut value = if fields & INVERTED != 0 { scalar(cpu, rn, 3) } else { a };
            if fields & LONG == 0 {
                value = if fields & SIGNED != 0 {
                    value as i32 as i64 as u64
                } else {
                    value & 0xffff_ffff
                };
            }
            let mut unit = unit_of(cpu);
            let result = unit.number_of_fixed(value, fields & SIGNED != 0, fields >> AMOUNT & 127, format);
            note(cpu, unit.flags);
            set(cpu, rd, result, 0);
        }
        kind::FMOVX => {
            let half = cpu.v[((rn & 31) + 32 * (fields >> OTHER & 1)) as usize];
            if fields & FLAGS != 0 {
                let value = half >> (fields >> AMOUNT & 63);
                return if size > 2 {
                    value
                } else {
                    value & ((1u64 << (8 << size)) - 1)
                };
            }
            return half;
        }
        kind::XMOVF => {
            if fields & INVERTED != 0 {
                let low = scalar(cpu, rd, 3);
                set(cpu, rd, low, a);
            } else {
                set(cpu, rd, if fields & LONG != 0 { a } else { a & 0xffff_ffff }, 0);
            }
        }
        kind::VLOGIC => {
            if fields & FLAGS != 0 {
                let element = cpu.v[((rn & 31) + 32 * (fields >> OTHER & 1)) as usize];
                set(cpu, rd, element, 0);
            } else {
                let way = fields >> WAY & 7;
                let low = logic(way, cpu.v[rd as usize], cpu.v[rn as usize], cpu.v[rm as usize]);
                let mut high = 0;
                if fields & LONG != 0 {
                    high = logic(
                        way,
                        cpu.v[(rd + 32) as usize],
                        cpu.v[(rn + 32) as usize],
                        cpu.v[(rm + 32) as usize],
                    );
                }
                set(cpu, rd, low, high);
            }
        }
        kind::VINTEGER => {
            let (way, by) = (fields >> WAY & 7, fields >> AMOUNT & 127);
            let (n, m) = (rn as usize, (rm & 31) as usize);
            let low = elements(way, size, by, cpu.v[n], cpu.v[m]);
            let mut high = 0;
            if fields & LONG != 0 {
                high = elements(way, size, by, cpu.v[n + 32], cpu.v[m + 32]);
            }
            set(cpu, rd, low, high);
        }
        kind::VCNT => {
            let low = ones(cpu.v[rn as usize]);
            let high = if fields & LONG != 0 {
                ones(cpu.v[(rn + 32) as usize])
            } else {
                0
            };
            set(cpu, rd, low, high);
        }
        _ => {
            let mut total = bytes_sum(cpu.v[rn as usize]);
            if fields & LONG != 0 {
                total = total.wrapping_add(bytes_sum(cpu.v[(rn + 32) as usize]));
            }
            set(cpu, rd, total & 0xff, 0);
        }
    }
    0
}

/// AND, BIC, ORR, ORN, EOR, and what chooses bits by the target, the second or the inverted second operand.
#[routine(callee)]
fn logic(way: u32, d: u64, n: u64, m: u64) -> u64 {
    match way {
        0 => n & m,
        1 => n & !m,
        2 => n | m,
        3 => n | !m,
        4 => n ^ m,
        5 => (n & d) | (m & !d),
        6 => (n & m) | (d & !m),
        _ => (n & !m) | (d & m),
    }
}

/// Shifts, sums and differences of a half's elements of `8 << size` bits.
#[routine(callee)]
fn elements(way: u32, size: u32, by: u32, n: u64, m: u64) -> u64 {
    let bits = 8 << size;
    let ones = u64::MAX >> (64 - bits);
    let mut result = 0u64;
    let mut at = 0;
    while at < 64 {
        let (a, b) = (n >> at & ones, m >> at & ones);
        let extended = (a << (64 - bits)) as i64 >> (64 - bits);
        let value = match way {
            0 => {
                if by > 63 {
                    0
                } else {
                    a >> by
                }
            }
            1 => (extended >> if by > 63 { 63 } else { by }) as u64,
            2 => a.wrapping_shl(by),
            3 => a.wrapping_add(b),
            _ => a.wrapping_sub(b),
        };
        result |= (value & ones) << at;
        at += bits;
    }
    result
}

/// How many bits are set in each byte.
#[routine(callee)]
fn ones(value: u64) -> u64 {
    let twos = value.wrapping_sub(value >> 1 & 0x5555_5555_5555_5555);
    let fours = (twos & 0x3333_3333_3333_3333).wrapping_add(twos >> 2 & 0x3333_3333_3333_3333);
    fours.wrapping_add(fours >> 4) & 0x0f0f_0f0f_0f0f_0f0f
}

#[routine(callee)]
fn bytes_sum(value: u64) -> u64 {
    let mut total = 0u64;
    for i in 0..8 {
        total = total.wrapping_add(value >> (i * 8) & 0xff);
    }
    total
}

/// Arithmetic of one number.
#[routine(callee)]
fn of_one(cpu: &mut Cpu, a: u64, fields: u32) -> u64 {
    let size = fields >> SIZE & 7;
    let format = format_of(size);
    let mut unit = unit_of(cpu);
    let minus = 1u64 << format.sign;
    let which = fields >> AMOUNT & 63;
    let result = match which {
        0 => a,
        1 => a & !minus,
        2 => a ^ minus,
        3 => {
            let mut root = 0;
            if unit.rounding == NEAREST && cpu.fpsr & INEXACT_HERE != 0 {
                root = quick(4, a, a, size == 3);
            }
            if root == 0 { unit.square_root(a, format) } else { root }
        }
        4 => unit.convert(a, format, SINGLE),
        5 => unit.convert(a, format, DOUBLE),
        7 => unit.convert(a, format, HALF),
        _ => {
            if which < 13 {
                unit.rounding = rounding(which & 7);
            }
            unit.integral(a, which == 14, format)
        }
    };
    note(cpu, unit.flags);
    result
}

/// Arithmetic of two numbers.
#[routine(callee)]
fn of_two(cpu: &mut Cpu, a: u64, b: u64, fields: u32) -> u64 {
    let size = fields >> SIZE & 7;
    let format = format_of(size);
    let mut unit = unit_of(cpu);
    let which = fields >> AMOUNT & 63;
    let minus = if which == 8 { 1u64 << format.sign } else { 0 };
    if unit.rounding == NEAREST && cpu.fpsr & INEXACT_HERE != 0 && (which < 4 || which == 8) {
        let operation = match which {
            0 | 8 => 2,
            1 => 3,
            2 => 0,
            _ => 1,
        };
        let result = quick(operation, a, b, size == 3);
        if result != 0 {
            return result ^ minus;
        }
    }
    let result = match which {
        0 | 8 => unit.multiply(a, b, format),
        1 => unit.divide(a, b, format),
        2 => unit.add(a, b, format),
        3 => unit.subtract(a, b, format),
        4 | 5 => {
            if format.is_nan(a) || format.is_nan(b) {
                unit.nan_of(a, b, format)
            } else {
                unit.extreme(a, b, which == 4, format)
            }
        }
        _ => unit.extreme(a, b, which == 6, format),
    };
    note(cpu, unit.flags);
    result ^ minus
}

/// Loads or stores a float register of up to 16 bytes.
#[routine(callee)]
fn access(cpu: &mut Cpu, memory: &mut Memory<'_>, address: u64, register: u32, size: u32, fields: u32) {
    let next = address.wrapping_add(8);
    if fields & LOADS == 0 {
        let low = scalar(cpu, register, size);
        if size == 4 {
            store_both(memory, address, next, 3, low, cpu.v[((register & 31) + 32) as usize]);
        } else {
            store(memory, address, size, low);
        }
        return;
    }
    let (low, high) = loaded(memory, address, size);
    if memory.fault == 0 {
        set(cpu, register, low, high);
    }
}

#[routine(callee)]
fn loaded(memory: &mut Memory<'_>, address: u64, size: u32) -> (u64, u64) {
    let low = load(memory, address, if size > 3 { 3 } else { size });
    let high = if size > 3 && memory.fault == 0 {
        load(memory, address.wrapping_add(8), 3)
    } else {
        0
    };
    (low, high)
}

/// Loads or stores two float registers; of a store that fails nothing is stored.
#[routine(callee)]
fn access_pair(cpu: &mut Cpu, memory: &mut Memory<'_>, address: u64, first: u32, second: u32, fields: u32) {
    let size = fields >> SIZE & 7;
    let next = address.wrapping_add(1u64 << size);
    if fields & LOADS == 0 {
        let bytes = 2u32 << size;
        let end = address.wrapping_add(u64::from(bytes));
        if end >> 32 == 0 && !memory.reaches(address as u32, bytes) {
            return;
        }
        access(cpu, memory, address, first, size, fields);
        if memory.fault == 0 {
            access(cpu, memory, next, second, size, fields);
        }
        return;
    }
    let (low, high) = loaded(memory, address, size);
    if memory.fault != 0 {
        return;
    }
    let (other_low, other_high) = loaded(memory, next, size);
    if memory.fault == 0 {
        set(cpu, first, low, high);
        set(cpu, second, other_low, other_high);
    } else if next >> 32 != 0 {
        memory.refuse(LOAD, next);
    }
}
