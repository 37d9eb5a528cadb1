//! Scalar floats, and what compilers do to scalars with vector instructions, as far as the machine of gpuvm has the same. What they mean is in [`aarch64::float`](crate::aarch64::float).
//!
//! A result is taken where nothing of it can be seen but the number: rounded to the nearest, neither tiny nor infinite nor no number, and inexact at most where that flag is up
//! already; or an exact zero.
//! Else the guest leaves before the instruction, and the emulator tells, which also raises the flag.

use gpuvm::build::{Float, Value};

use super::Arm;
use crate::aarch64::decode::{
    AFTER, AMOUNT, CONDITION, Decoded, FLAGS, INVERTED, LOADS, LONG, OTHER, SIGNED, SIZE, WAY, WRITES_BACK, ZR, kind,
};
use crate::translate::emit::{At, Wide};

/// Towards zero, of the ways of rounding that an instruction can name.
const TOWARDS_ZERO: u32 = 3;
/// Of `FPSR`: a result was not exact.
pub(super) const INEXACT: u32 = 16;
/// Of `FPCR`: another way of rounding than to the nearest.
pub(super) const ROUNDS: u32 = 3 << 22;

/// Whether an instruction of floats is translated.
pub(super) fn is_translated(decoded: Decoded) -> bool {
    let Decoded { word, fields, .. } = decoded;
    let size = fields >> SIZE & 7;
    let number = size == 2 || size == 3;
    let which = fields >> AMOUNT & 127;
    match word & 0xff {
        kind::VMEMORY | kind::VLITERAL => size < 4,
        kind::VPAIR => number,
        kind::FONE => number && which < 6,
        kind::FTWO => number && (which < 4 || which == 8),
        kind::FTHREE | kind::FCMP | kind::FCSEL => number,
        kind::FMOVI => fields & FLAGS == 0,
        kind::FTOX => number && which == 0 && fields >> OTHER & 7 == TOWARDS_ZERO,
        kind::XTOF => number && which == 0,
        kind::FMOVX => fields & FLAGS == 0,
        kind::XMOVF | kind::VLOGIC => true,
        kind::VINTEGER => number,
        _ => false,
    }
}

/// The registers of floats that an instruction names, by their numbers.
pub(super) fn registers(decoded: Decoded) -> impl Iterator<Item = usize> {
    let has = decoded.word & 0xff >= kind::VMEMORY;
    let places = [8, 14, 20, 26].into_iter().filter(move |_| has);
    places.map(move |place| (decoded.word >> place & 31) as usize)
}

/// A format of floats.
trait Format: Float {
    /// Bits of the fraction.
    const FRACTION: u32;
    /// Bits of the exponent.
    const EXPONENT: u32;
    /// The number with these bits, which are the low ones of a register.
    fn number(bits: Value<'_, u64>) -> Value<'_, Self>;
    fn bits(number: Value<'_, Self>) -> Value<'_, u64>;
    /// The word that has the exponent.
    fn top(bits: Value<'_, u64>) -> Value<'_, u32>;

    /// The exponent as it is stored.
    fn exponent(bits: Value<'_, u64>) -> Value<'_, u32> {
        (Self::top(bits) >> (31 - Self::EXPONENT)) & ((1 << Self::EXPONENT) - 1)
    }

    /// The bit of the sign.
    fn sign() -> u64 {
        1 << (Self::FRACTION + Self::EXPONENT)
    }

    /// The exponent of what is infinite or no number, as it is stored.
    fn last() -> u32 {
        (1 << Self::EXPONENT) - 1
    }
}

impl Format for f32 {
    const FRACTION: u32 = 23;
    const EXPONENT: u32 = 8;

    fn number(bits: Value<'_, u64>) -> Value<'_, f32> {
        bits.cast::<u32>().as_f32()
    }

    fn bits(number: Value<'_, f32>) -> Value<'_, u64> {
        number.to_bits().cast()
    }

    fn top(bits: Value<'_, u64>) -> Value<'_, u32> {
        bits.cast()
    }
}

impl Format for f64 {
    const FRACTION: u32 = 52;
    const EXPONENT: u32 = 11;

    fn number(bits: Value<'_, u64>) -> Value<'_, f64> {
        bits.as_f64()
    }

    fn bits(number: Value<'_, f64>) -> Value<'_, u64> {
        number.to_bits()
    }

    fn top(bits: Value<'_, u64>) -> Value<'_, u32> {
        (bits >> 32).cast()
    }
}

/// AND, BIC, ORR, ORN, EOR, and what chooses bits by the target, the second or the inverted second operand.
fn logic<'b>(way: u32, d: Value<'b, u64>, n: Value<'b, u64>, m: Value<'b, u64>) -> Value<'b, u64> {
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

impl<'b> Arm<'b> {
    fn half(&self, register: u32) -> Value<'b, u64> {
        match self.v.get(register as usize) {
            Some(Some(variable)) => variable.get(),
            _ => self.f.constant(0),
        }
    }

    /// The low `1 << size` bytes of a register.
    fn scalar(&self, register: u32, size: u32) -> Value<'b, u64> {
        let value = self.half(register & 31);
        match size {
            3 => value,
            _ => value & ((1 << (8 << size)) - 1),
        }
    }

    fn set_halves(&self, register: u32, low: Value<'b, u64>, high: Value<'b, u64>) {
        for (half, value) in [(register & 31, low), ((register & 31) + 32, high)] {
            if let Some(Some(variable)) = self.v.get(half as usize) {
                variable.set(value);
            }
        }
    }

    fn set_scalar(&self, register: u32, value: Value<'b, u64>) {
        self.set_halves(register, value, self.f.constant(0));
    }

    /// Takes a rounded result, if nothing else of it can be seen. One of zero is exact if `zero` says so.
    fn rounded<T: Format>(&self, at: &At<'_, 'b>, number: Value<'b, T>, zero: Value<'b, bool>) -> Value<'b, u64> {
        let bits = T::bits(number);
        let is_plain = (T::exponent(bits) - 2).lt(T::last() - 2) & self.quick.get();
        // Which zero it is depends on the way of rounding.
        let is_exact = zero & Self::is_zero::<T>(bits) & self.nearest.get();
        at.leave_unless(is_plain | is_exact);
        bits
    }

    fn is_zero<T: Format>(bits: Value<'b, u64>) -> Value<'b, bool> {
        (bits & !T::sign()).eq(0)
    }

    /// An instruction of floats that is translated. Gives what goes to a general register.
    pub(super) fn float(&self, at: &At<'_, 'b>, decoded: Decoded) -> Option<Value<'b, u64>> {
        match decoded.word & 0xff {
            kind::VMEMORY | kind::VPAIR | kind::VLITERAL => self.float_access(at, decoded),
            kind::FMOVI => {
                let immediate = self.f.constant(decoded.immediate);
                let high = if decoded.fields & LONG != 0 {
                    decoded.immediate
                } else {
                    0
                };
                self.set_halves(decoded.word >> 8, immediate, self.f.constant(high));
            }
            kind::FMOVX => {
                let register = decoded.word >> 14 & 31;
                return Some(self.half(register + 32 * (decoded.fields >> OTHER & 1)));
            }
            kind::XMOVF => {
                let (rd, a) = (decoded.word >> 8, self.get(decoded.word >> 14 & 63));
                match decoded.fields & (INVERTED | LONG) {
                    LONG => self.set_scalar(rd, a),
                    0 => self.set_scalar(rd, a & 0xffff_ffff),
                    _ => self.set_halves(rd, self.half(rd & 31), a),
                }
            }
            kind::VLOGIC if decoded.fields & FLAGS != 0 => {
                let register = decoded.word >> 14 & 31;
                self.set_scalar(
                    decoded.word >> 8,
                    self.half(register + 32 * (decoded.fields >> OTHER & 1)),
                );
            }
            kind::VLOGIC | kind::VINTEGER => self.of_halves(decoded),
            _ if decoded.fields >> SIZE & 7 == 2 => return self.numbers::<f32>(at, decoded),
            _ => return self.numbers::<f64>(at, decoded),
        }
        None
    }

    fn float_access(&self, at: &At<'_, 'b>, decoded: Decoded) {
        let Decoded {
            word,
            fields,
            immediate,
        } = decoded;
        let (rd, rn, second) = (word >> 8 & 63, word >> 14 & 63, word >> 20 & 63);
        let size = fields >> SIZE & 7;
        let loaded = |address| match size {
            3 => at.load_double(address),
            size => at.load(address, size).cast(),
        };
        if word & 0xff == kind::VLITERAL {
            let low = self.f.constant(at.address.wrapping_add(immediate as u32));
            self.set_scalar(rd, loaded(Wide { low, high: None }));
            return;
        }
        let (a, b) = (self.get(rn), self.second(decoded));
        let whole = a + b;
        let address = self.wide(if fields & AFTER != 0 { a } else { whole });
        match (word & 0xff, fields & LOADS != 0) {
            (kind::VMEMORY, true) => self.set_scalar(rd, loaded(address)),
            (kind::VMEMORY, false) => at.store(address, size, self.scalar(rd, size)),
            (_, true) => {
                let [low, high] = at.load_pair(address, size);
                self.set_scalar(rd, low);
                self.set_scalar(second, high);
            }
            (_, false) => at.store_pair(address, size, [self.scalar(rd, size), self.scalar(second, size)]),
        }
        if fields & WRITES_BACK != 0 {
            self.set(rn, whole);
        }
    }

    /// What does the same with the low halves and, where it is of whole registers, the high ones.
    fn of_halves(&self, decoded: Decoded) {
        let Decoded { word, fields, .. } = decoded;
        let [d, n, m] = [8, 14, 20].map(|place| word >> place & 31);
        let result = |high: u32| {
            let [d, n, m] = [d, n, m].map(|register| self.half(register + high));
            match word & 0xff {
                kind::VLOGIC => logic(fields >> WAY & 7, d, n, m),
                _ => self.elements(fields, n, m),
            }
        };
        let high = if fields & LONG != 0 {
            result(32)
        } else {
            self.f.constant(0)
        };
        self.set_halves(d, result(0), high);
    }

    /// Shifts, sums and differences of elements of four or eight bytes.
    fn elements(&self, fields: u32, n: Value<'b, u64>, m: Value<'b, u64>) -> Value<'b, u64> {
        let (way, by) = (fields >> WAY & 7, fields >> AMOUNT & 127);
        if fields >> SIZE & 7 == 3 {
            return match way {
                0 if by > 63 => self.f.constant(0),
                0 => n >> by,
                1 => (n.cast::<i64>() >> by.min(63)).cast(),
                2 => n << (by & 63),
                3 => n + m,
                _ => n - m,
            };
        }
        let element = |a: Value<'b, u32>, b: Value<'b, u32>| match way {
            0 if by > 31 => self.f.constant(0),
            0 => a >> by,
            1 => (a.cast::<i32>() >> by.min(31)).cast(),
            2 => a << (by & 31),
            3 => a + b,
            _ => a - b,
        };
        let ((a, above_a), (b, above_b)) = (Self::halves(n), Self::halves(m));
        Self::whole(element(a, b), element(above_a, above_b))
    }

    /// What has numbers of a format.
    fn numbers<T: Format>(&self, at: &At<'_, 'b>, decoded: Decoded) -> Option<Value<'b, u64>> {
        let f = self.f;
        let Decoded { word, fields, .. } = decoded;
        let (rd, rn, rm) = (word >> 8 & 63, word >> 14 & 63, word >> 20 & 63);
        let size = fields >> SIZE & 7;
        let minus = T::sign();
        let which = fields >> AMOUNT & 63;
        let bits = |register: u32| self.scalar(register, size);
        let number = |register: u32| T::number(bits(register));
        let is_zero = |register: u32| Self::is_zero::<T>(bits(register));
        let result = match word & 0xff {
            kind::FONE => match which {
                0 => bits(rn),
                1 => bits(rn) & !minus,
                2 => bits(rn) ^ minus,
                3 => self.rounded(at, number(rn).sqrt(), is_zero(rn)),
                4 => self.rounded(at, number(rn).cast::<f32>(), is_zero(rn)),
                _ => {
                    at.leave_unless(T::exponent(bits(rn)).ne(T::last()));
                    number(rn).cast::<f64>().to_bits()
                }
            },
            kind::FTWO => {
                let (a, b) = (number(rn), number(rm));
                let (result, zero) = match which {
                    0 | 8 => (a * b, is_zero(rn) | is_zero(rm)),
                    1 => (a / b, is_zero(rn)),
                    2 => (a + b, f.constant(true)),
                    _ => (a - b, f.constant(true)),
                };
                let result = self.rounded(at, result, zero);
                if which == 8 { result ^ minus } else { result }
            }
            kind::FTHREE => {
                // The product or the sum turned over, before either is rounded.
                let [of_product, of_sum] = match fields >> OTHER & 3 {
                    0 => [0, 0],
                    1 => [minus, 0],
                    2 => [minus, minus],
                    _ => [0, minus],
                };
                let (a, c) = (T::number(bits(rn) ^ of_product), T::number(bits(word >> 26) ^ of_sum));
                self.rounded(at, a.mul_add(number(rm), c), is_zero(rn) | is_zero(rm))
            }
            kind::FCSEL => f.select(self.holds(fields >> CONDITION & 15), bits(rn), bits(rm)),
            kind::FCMP => {
                let with = if rm == ZR && fields >> OTHER & 1 != 0 {
                    f.constant(0)
                } else {
                    bits(rm)
                };
                for bits in [bits(rn), with] {
                    at.leave_unless((bits & !minus).le(u64::from(T::last()) << T::FRACTION));
                }
                let (a, b) = (T::number(bits(rn)), T::number(with));
                let (less, equal) = (a.lt(b), a.eq(b));
                self.set_flags([less, equal, !less, f.constant(false)]);
                return None;
            }
            kind::XTOF => return self.of_integer::<T>(at, decoded),
            kind::FTOX => {
                let (long, signed) = (fields & LONG != 0, fields & SIGNED != 0);
                // What surely fits: less than the power of two that is the first not to, in magnitude.
                let limit = (1 << (T::EXPONENT - 1)) - 1 + if long { 63 } else { 31 };
                let mut fits = T::exponent(bits(rn)).lt(limit) & self.quick.get();
                if !signed {
                    fits = fits & (bits(rn) & minus).eq(0);
                }
                at.leave_unless(fits);
                let number = number(rn);
                let integer = match (long, signed) {
                    (true, true) => number.cast::<i64>().cast(),
                    (true, false) => number.cast::<u64>(),
                    (false, true) => number.cast::<i32>().cast::<u32>().cast(),
                    (false, false) => number.cast::<u32>().cast(),
                };
                if fields & INVERTED != 0 {
                    self.set_scalar(rd, integer);
                    return None;
                }
                return Some(integer);
            }
            _ => return None,
        };
        self.set_scalar(rd, result);
        None
    }

    /// The number that an integer is.
    fn of_integer<T: Format>(&self, at: &At<'_, 'b>, decoded: Decoded) -> Option<Value<'b, u64>> {
        let Decoded { word, fields, .. } = decoded;
        let rn = word >> 14 & 63;
        let (long, signed) = (fields & LONG != 0, fields & SIGNED != 0);
        let integer = if fields & INVERTED != 0 {
            self.half(rn & 31)
        } else {
            self.get(rn)
        };
        // A double has all bits of a word.
        if long || T::FRACTION < 32 {
            at.leave_unless(self.quick.get());
        }
        let low = integer.cast::<u32>();
        let number = match (long, signed) {
            (true, true) => integer.cast::<i64>().cast::<T>(),
            (true, false) => integer.cast::<T>(),
            (false, true) => low.cast::<i32>().cast::<T>(),
            (false, false) => low.cast::<T>(),
        };
        self.set_scalar(word >> 8, T::bits(number));
        None
    }
}
