//! Floats: registers of `f32`, and of `f64` where they are that wide.

use gpuvm::prelude::*;

use super::cpu::Cpu;
use super::decode::kind;
use super::register::Register;
use crate::routines::quick::{quick, quick_fused};
use crate::routines::soft::{DOUBLE, Format, INEXACT, NEAREST, SINGLE, UNDERFLOW, Unit, ZERO};

/// What an instruction says of how to round, or the mode of the processor. More than 4 is none.
#[routine(callee)]
pub(crate) fn rounding(funct3: u32, fcsr: u32) -> u32 {
    if funct3 == 7 { fcsr >> 5 & 7 } else { funct3 }
}

/// A register as a number of a format. What is no `f32` in a wide register is a NaN.
#[routine(callee)]
fn number<X: Register>(value: X, double: bool) -> u64 {
    if X::WIDTH == 64 && !double {
        let wide = value.double();
        return if wide >> 32 == 0xffff_ffff {
            wide & 0xffff_ffff
        } else {
            0x7fc0_0000
        };
    }
    value.double()
}

/// A number as a register keeps it.
#[routine(callee)]
pub(crate) fn boxed<X: Register>(bits: u64, double: bool) -> X {
    if X::WIDTH == 64 && !double {
        return X::wrapping(bits | 0xffff_ffff << 32);
    }
    X::wrapping(bits)
}

/// Which of the ten classes a number is in, as a bit.
#[routine(callee)]
fn class(bits: u64, format: Format) -> u32 {
    if format.is_nan(bits) {
        return if format.is_signalling(bits) { 1 << 8 } else { 1 << 9 };
    }
    let place = if format.is_infinite(bits) {
        0
    } else if format.is_zero(bits) {
        3
    } else if bits >> format.fraction & format.top() == 0 {
        2
    } else {
        1
    };
    if format.negative(bits) {
        1 << place
    } else {
        1 << (7 - place)
    }
}

/// A fused multiplication and addition. `funct7` has `rs3` and the format.
#[routine(callee)]
pub(crate) fn fused<X: Register>(cpu: &mut Cpu<X>, kind: u32, a: X, b: X, funct7: u32, rounding: u32) -> X {
    let double = X::WIDTH == 64 && funct7 & 1 != 0;
    let format = if double { DOUBLE } else { SINGLE };
    let minus = 1u64 << format.sign;
    let mut a = number::<X>(a, double);
    let b = number::<X>(b, double);
    let mut c = number::<X>(cpu.f[(funct7 >> 2 & 31) as usize], double);
    if kind == kind::FNMSUB || kind == kind::FNMADD {
        a ^= minus;
    }
    if kind == kind::FMSUB || kind == kind::FNMADD {
        c ^= minus;
    }
    if rounding == NEAREST && cpu.fcsr & INEXACT != 0 {
        let bits = quick_fused(a, b, c, double);
        if bits != 0 {
            return boxed::<X>(bits, double);
        }
    }
    let mut unit = Unit {
        rounding,
        flags: 0,
        arm: false,
    };
    let bits = unit.multiply_add(a, b, c, format);
    cpu.fcsr |= unit.flags;
    boxed::<X>(bits, double)
}

/// Arithmetic whose result is a float. `x` is the integer register `rs1`, and `second` the number `rs2`.
#[routine(callee)]
pub(crate) fn arithmetic<X: Register>(
    cpu: &mut Cpu<X>,
    x: X,
    first: u32,
    second: u32,
    funct7: u32,
    funct3: u32,
    rounding: u32,
) -> X {
    let double = X::WIDTH == 64 && funct7 & 1 != 0;
    let format = if double { DOUBLE } else { SINGLE };
    let operation = funct7 >> 2;
    let (left, right) = (cpu.f[(first & 31) as usize], cpu.f[(second & 31) as usize]);
    let a = number::<X>(left, double);
    let b = number::<X>(right, double);
    let computes = operation < 4 || operation == 0x0b;
    if computes && rounding == NEAREST && cpu.fcsr & INEXACT != 0 {
        let bits = quick(operation, a, b, double);
        if bits != 0 {
            return boxed::<X>(bits, double);
        }
    }
    let mut unit = Unit {
        rounding,
        flags: 0,
        arm: false,
    };
    let minus = 1u64 << format.sign;
    let bits = match operation {
        0 => unit.add(a, b, format),
        1 => unit.subtract(a, b, format),
        2 => unit.multiply(a, b, format),
        3 => unit.divide(a, b, format),
        0x0b => unit.square_root(a, format),
        4 => {
            let sign = match funct3 {
                0 => b,
                1 => !b,
                _ => a ^ b,
            };
            (a & !minus) | (sign & minus)
        }
        5 => unit.extreme(a, b, funct3 != 0, format),
        8 => {
            let other = if double { SINGLE } else { DOUBLE };
            unit.convert(number::<X>(left, !double), other, format)
        }
        0x1a => {
            let value = if second & 2 != 0 {
                x.double()
            } else if second & 1 != 0 {
                u64::from(x.low())
            } else {
                x.low() as i32 as i64 as u64
            };
            unit.number(value, second & 1 == 0, format)
        }
        _ => x.double() & (u64::MAX >> (63 - format.sign)),
    };
    cpu.fcsr |= unit.flags & (INEXACT | UNDERFLOW | 28);
    boxed::<X>(bits, double)
}

/// Arithmetic whose result is an integer.
#[routine(callee)]
pub(crate) fn to_integer<X: Register>(
    cpu: &mut Cpu<X>,
    first: u32,
    second: u32,
    funct7: u32,
    funct3: u32,
    rounding: u32,
) -> X {
    let double = X::WIDTH == 64 && funct7 & 1 != 0;
    let format = if double { DOUBLE } else { SINGLE };
    let left = cpu.f[(first & 31) as usize];
    let a = number::<X>(left, double);
    let mut unit = Unit {
        rounding: if rounding > 4 { ZERO } else { rounding },
        flags: 0,
        arm: false,
    };
    let value = match funct7 >> 2 {
        0x14 => {
            let b = number::<X>(cpu.f[(second & 31) as usize], double);
            let order = unit.compare(a, b, funct3 != 2, format);
            let holds = match funct3 {
                0 => order < 2,
                1 => order == 0,
                _ => order == 1,
            };
            X::of(u32::from(holds))
        }
        0x18 => {
            let long = second & 2 != 0;
            let value = unit.integer(a, second & 1 == 0, if long { 64 } else { 32 }, format);
            if long {
                X::wrapping(value)
            } else {
                X::signed(value as u32)
            }
        }
        _ => {
            if funct3 != 0 {
                X::of(class(a, format))
            } else if double {
                left
            } else {
                X::signed(left.low())
            }
        }
    };
    cpu.fcsr |= unit.flags;
    value
}
