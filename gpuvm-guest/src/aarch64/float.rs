//! Scalar floats, and what compilers do to scalars with vector instructions. The core, which is not `WHOLE`, does what is quick.

use gpuvm::prelude::*;

use super::cpu::Cpu;
use super::decode::{AMOUNT, CONDITION, Decoded, FLAGS, INVERTED, LOADS, LONG, OTHER, SIGNED, SIZE, WAY, kind};
use super::memory::{access_at_once, address_of, load, store, store_at_once, store_both};
use super::run::holds;
use crate::routines::event::{LOAD, NEEDS_WHOLE};
use crate::routines::memory::Memory;
use crate::routines::quick::{quick, quick_fused, quickly_converted};
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

/// Whether an operation may be a quick one: nobody can tell that its result is not exact.
#[routine(callee)]
fn may_be_quick(cpu: &Cpu) -> bool {
    cpu.fpcr >> 22 & 3 == 0 && cpu.fpsr & INEXACT_HERE != 0
}

/// Carries out an instruction of floats, and gives what goes to a general register where it is one of those. `a` and `b` are what general registers and
/// the immediate value say. What the core leaves to the whole emulator comes as a fault.
#[routine(callee)]
pub(crate) fn execute_float<const WHOLE: bool>(
    cpu: &mut Cpu,
    memory: &mut Memory<'_>,
    nzcv: &mut u32,
    decoded: Decoded,
    (a, b, pc): (u64, u64, u64),
) -> u64 {
    let Decoded {
        word,
        fields,
        immediate,
    } = decoded;
    let (rd, rn, rm) = (word >> 8 & 63, word >> 14 & 63, word >> 20 & 63);
    let size = fields >> SIZE & 7;
    let format = format_of(size);
    // What goes to the register, if anything does.
    let (mut low, mut high, mut sets) = (0, 0, true);
    let mut integer = 0;
    match word & 0xff {
        kind::VMEMORY | kind::VLITERAL => {
            let address = if word & 0xff == kind::VMEMORY {
                address_of(a, b, fields)
            } else {
                pc.wrapping_add(immediate)
            };
            sets = fields & LOADS != 0;
            if sets {
                (low, high) = loaded::<WHOLE>(memory, address, size);
            } else {
                let halves = (scalar(cpu, rd, size), cpu.v[((rd & 31) + 32) as usize]);
                stored::<WHOLE>(memory, address, size, halves);
            }
        }
        kind::VPAIR => {
            sets = false;
            let address = address_of(a, b, fields);
            if WHOLE {
                access_pair(cpu, memory, address, rd, rm, fields);
            } else {
                pair_at_once(cpu, memory, address, rd, rm, fields);
            }
        }
        kind::FONE => {
            let x = scalar(cpu, rn, size);
            low = of_one::<WHOLE>(cpu, memory, x, fields);
        }
        kind::FTWO => {
            let (x, y) = (scalar(cpu, rn, size), scalar(cpu, rm, size));
            low = of_two::<WHOLE>(cpu, memory, x, y, fields);
        }
        kind::FTHREE => {
            let (x, y) = (scalar(cpu, rn, size), scalar(cpu, rm, size));
            let z = scalar(cpu, word >> 26, size);
            low = of_three::<WHOLE>(cpu, memory, (x, y, z), fields);
        }
        kind::FCMP | kind::FCCMP => {
            sets = false;
            let fused = word & 0xff == kind::FCCMP;
            if fused && !holds(fields >> CONDITION & 15, *nzcv) {
                *nzcv = fields >> OTHER & 15;
            } else {
                let with = if fused || fields >> OTHER & 1 == 0 {
                    scalar(cpu, rm, size)
                } else {
                    0
                };
                let mut unit = unit_of(cpu);
                let order = unit.compare(scalar(cpu, rn, size), with, fields >> AMOUNT & 1 != 0, format);
                note(cpu, unit.flags);
                *nzcv = match order {
                    0 => 8,
                    1 => 6,
                    2 => 2,
                    _ => 3,
                };
            }
        }
        kind::FCSEL => {
            let chosen = if holds(fields >> CONDITION & 15, *nzcv) { rn } else { rm };
            low = scalar(cpu, chosen, size);
        }
        kind::FMOVI => {
            (low, high) = (immediate, if fields & LONG != 0 { immediate } else { 0 });
            if fields & FLAGS != 0 {
                let (old_low, old_high) = (cpu.v[(rd & 31) as usize], cpu.v[((rd & 31) + 32) as usize]);
                if fields >> WAY & 7 == 0 {
                    low &= old_low;
                    high &= old_high;
                } else {
                    low |= old_low;
                    high = if fields & LONG != 0 { high | old_high } else { 0 };
                }
            }
        }
        kind::FTOX => {
            let mut unit = unit_of(cpu);
            unit.rounding = rounding(fields >> OTHER & 7);
            let width = if fields & LONG != 0 { 64 } else { 32 };
            let behind = fields >> AMOUNT & 127;
            let value = scalar(cpu, rn, size);
            integer = unit.fixed(value, fields & SIGNED != 0, width, behind, format);
            note(cpu, unit.flags);
            sets = fields & INVERTED != 0;
            low = integer;
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
            low = unit.number_of_fixed(value, fields & SIGNED != 0, fields >> AMOUNT & 127, format);
            note(cpu, unit.flags);
        }
        kind::FMOVX => {
            sets = false;
            integer = cpu.v[((rn & 31) + 32 * (fields >> OTHER & 1)) as usize];
            if fields & FLAGS != 0 {
                integer >>= fields >> AMOUNT & 63;
                if size < 3 {
                    integer &= (1u64 << (8 << size)) - 1;
                }
            }
        }
        kind::XMOVF => {
            if fields & INVERTED != 0 {
                (low, high) = (scalar(cpu, rd, 3), a);
            } else {
                low = if fields & LONG != 0 { a } else { a & 0xffff_ffff };
            }
        }
        kind::VLOGIC => {
            let (d, n, m) = ((rd & 31) as usize, (rn & 31) as usize, (rm & 31) as usize);
            if fields & FLAGS != 0 {
                low = cpu.v[n + 32 * (fields >> OTHER & 1) as usize];
            } else {
                let way = fields >> WAY & 7;
                low = logic(way, cpu.v[d], cpu.v[n], cpu.v[m]);
                if fields & LONG != 0 {
                    high = logic(way, cpu.v[d + 32], cpu.v[n + 32], cpu.v[m + 32]);
                }
            }
        }
        kind::VINTEGER => {
            let (way, by) = (fields >> WAY & 7, fields >> AMOUNT & 127);
            let (n, m) = ((rn & 31) as usize, (rm & 31) as usize);
            low = elements(way, size, by, cpu.v[n], cpu.v[m]);
            if fields & LONG != 0 {
                high = elements(way, size, by, cpu.v[n + 32], cpu.v[m + 32]);
            }
        }
        kind::VCNT if WHOLE => {
            low = ones(cpu.v[(rn & 31) as usize]);
            if fields & LONG != 0 {
                high = ones(cpu.v[((rn & 31) + 32) as usize]);
            }
        }
        _ if WHOLE => {
            low = bytes_sum(cpu.v[(rn & 31) as usize]);
            if fields & LONG != 0 {
                low = low.wrapping_add(bytes_sum(cpu.v[((rn & 31) + 32) as usize]));
            }
            low &= 0xff;
        }
        _ => memory.refuse(NEEDS_WHOLE, pc),
    }
    if sets && memory.fault == 0 {
        set(cpu, rd, low, high);
    }
    integer
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
fn of_one<const WHOLE: bool>(cpu: &mut Cpu, memory: &mut Memory<'_>, a: u64, fields: u32) -> u64 {
    let size = fields >> SIZE & 7;
    let format = format_of(size);
    let minus = 1u64 << format.sign;
    let which = fields >> AMOUNT & 63;
    let quickly = match which {
        0 => return a,
        1 => return a & !minus,
        2 => return a ^ minus,
        3 if may_be_quick(cpu) => quick(4, a, a, size == 3),
        // Who is made wider stays the same number.
        4 if size == 3 && may_be_quick(cpu) => quickly_converted(a, false),
        5 if size == 2 => quickly_converted(a, true),
        _ => 0,
    };
    if quickly != 0 {
        return quickly;
    }
    if !WHOLE {
        memory.refuse(NEEDS_WHOLE, 0);
        return 0;
    }
    let mut unit = unit_of(cpu);
    let result = match which {
        3 => unit.square_root(a, format),
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
fn of_two<const WHOLE: bool>(cpu: &mut Cpu, memory: &mut Memory<'_>, a: u64, b: u64, fields: u32) -> u64 {
    let size = fields >> SIZE & 7;
    let which = fields >> AMOUNT & 63;
    let format = format_of(size);
    let minus = if which == 8 { 1u64 << format.sign } else { 0 };
    if (which < 4 || which == 8) && may_be_quick(cpu) {
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
    if !WHOLE {
        memory.refuse(NEEDS_WHOLE, 0);
        return 0;
    }
    let mut unit = unit_of(cpu);
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

/// Arithmetic of three numbers: a product, and what it is added to.
#[routine(callee)]
fn of_three<const WHOLE: bool>(cpu: &mut Cpu, memory: &mut Memory<'_>, (a, b, c): (u64, u64, u64), fields: u32) -> u64 {
    let size = fields >> SIZE & 7;
    let format = format_of(size);
    let minus = 1u64 << format.sign;
    let which = fields >> OTHER & 3;
    let a = if which == 1 || which == 2 { a ^ minus } else { a };
    let c = if which > 1 { c ^ minus } else { c };
    if may_be_quick(cpu) {
        let result = quick_fused(a, b, c, size == 3);
        if result != 0 {
            return result;
        }
    }
    if !WHOLE {
        memory.refuse(NEEDS_WHOLE, 0);
        return 0;
    }
    let mut unit = unit_of(cpu);
    let result = unit.multiply_add(a, b, c, format);
    note(cpu, unit.flags);
    result
}

/// Loads a float register of up to 16 bytes.
#[routine(callee)]
fn loaded<const WHOLE: bool>(memory: &mut Memory<'_>, address: u64, size: u32) -> (u64, u64) {
    if !WHOLE {
        return memory.load_at_once(address, 1 << size);
    }
    let low = load(memory, address, if size > 3 { 3 } else { size });
    let high = if size > 3 && memory.fault == 0 {
        load(memory, address.wrapping_add(8), 3)
    } else {
        0
    };
    (low, high)
}

/// Stores a float register of up to 16 bytes.
#[routine(callee)]
fn stored<const WHOLE: bool>(memory: &mut Memory<'_>, address: u64, size: u32, (low, high): (u64, u64)) {
    if !WHOLE {
        memory.store_at_once(address, 1 << size, low, high);
    } else if size == 4 {
        store_both(memory, address, address.wrapping_add(8), 3, low, high);
    } else {
        store(memory, address, size, low);
    }
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
        let high = |register: u32| ((register & 31) + 32) as usize;
        stored::<true>(memory, address, size, (scalar(cpu, first, size), cpu.v[high(first)]));
        if memory.fault == 0 {
            stored::<true>(memory, next, size, (scalar(cpu, second, size), cpu.v[high(second)]));
        }
        return;
    }
    let (low, high) = loaded::<true>(memory, address, size);
    if memory.fault != 0 {
        return;
    }
    let (other_low, other_high) = loaded::<true>(memory, next, size);
    if memory.fault == 0 {
        set(cpu, first, low, high);
        set(cpu, second, other_low, other_high);
    } else if next >> 32 != 0 {
        memory.refuse(LOAD, next);
    }
}

/// The same of two registers of up to 8 bytes, with one look at where they are.
#[routine(callee)]
fn pair_at_once(cpu: &mut Cpu, memory: &mut Memory<'_>, address: u64, first: u32, second: u32, fields: u32) {
    let size = fields >> SIZE & 7;
    if size > 3 {
        memory.refuse(NEEDS_WHOLE, address);
    } else if fields & LOADS == 0 {
        let (low, high) = (scalar(cpu, first, size), scalar(cpu, second, size));
        store_at_once(memory, address, fields, true, low, high);
    } else {
        let (low, high) = access_at_once(memory, address, fields & !SIGNED, true);
        if memory.fault == 0 {
            set(cpu, first, low, 0);
            set(cpu, second, high, 0);
        }
    }
}
