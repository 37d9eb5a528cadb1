//! Floats in texts: `{}`, `{:.3}`, `{:?}`, `{:e}`. What is written in which call is as std has it (`core::fmt::float`, `core::num::flt2dec`).

use std::fmt;

use gpuvm_macros::routine;
use gpuvm_nodes::Style;

use super::super::intrinsics;
use super::digits::{apart, exact, shortest};
use super::{Debugs, Displays, Formatted, Formatter, PLUS, RIGHT, Sink, ZERO, before, fill};
use crate::facts::CallSlot;

/// 64 of them, as many as std writes in one call.
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The kinds of texts.
const DECIMAL: u32 = 0;
const DEBUG: u32 = 1;
const EXPONENTIAL: u32 = 2;

#[routine(library, inline)]
fn text(digits: &[u8; 832], from: usize, to: usize) -> &str {
    intrinsics::words(intrinsics::part(&&digits[..], from, to))
}

#[routine(library)]
fn zeros<W: Sink>(sink: &mut W, count: u32) -> fmt::Result {
    let mut left = count;
    while left > 64 {
        sink.write_str(ZEROS)?;
        left = left.wrapping_sub(64);
    }
    if left > 0 {
        sink.write_str(intrinsics::words(intrinsics::part(&ZEROS.as_bytes(), 0, left as usize)))?;
    }
    Ok(())
}

/// The parts of a number: at most five texts, `parts` of them, with zeros behind the first three.
#[routine(library)]
pub fn parts<W: Sink>(
    f: &mut Formatter<'static, W>,
    sign: &str,
    parts: u32,
    first: &str,
    zeros_1: u32,
    second: &str,
    zeros_2: u32,
    third: &str,
    zeros_3: u32,
    fourth: &str,
    fifth: &str,
) -> fmt::Result {
    let mut sign = sign;
    let mut width = f.width;
    let (mut flags, mut filled) = (f.flags, f.fill);
    let mut padding = 0u32;
    if width > 0 {
        if flags & ZERO != 0 {
            // The sign goes before the zeros.
            f.sink.write_str(sign)?;
            width = width.saturating_sub(sign.len() as u32);
            sign = "";
            flags = RIGHT << super::ALIGN;
            filled = '0';
        }
        let mut len = (sign.len() as u32)
            .wrapping_add(first.len() as u32)
            .wrapping_add(zeros_1);
        if parts > 1 {
            len = len.wrapping_add(second.len() as u32).wrapping_add(zeros_2);
        }
        if parts > 2 {
            len = len.wrapping_add(third.len() as u32).wrapping_add(zeros_3);
        }
        if parts > 3 {
            len = len.wrapping_add(fourth.len() as u32).wrapping_add(fifth.len() as u32);
        }
        padding = width.saturating_sub(len);
    }
    let left = before(flags, padding, RIGHT);
    fill(f.sink, filled, left)?;
    if sign.len() > 0 {
        f.sink.write_str(sign)?;
    }
    f.sink.write_str(first)?;
    zeros(f.sink, zeros_1)?;
    if parts > 1 {
        f.sink.write_str(second)?;
        zeros(f.sink, zeros_2)?;
    }
    if parts > 2 {
        f.sink.write_str(third)?;
        zeros(f.sink, zeros_3)?;
    }
    if parts > 3 {
        f.sink.write_str(fourth)?;
        f.sink.write_str(fifth)?;
    }
    fill(f.sink, filled, padding.wrapping_sub(left))
}

/// Digits `0.d · 10^k` with a point, and at least so many behind it.
#[routine(library)]
fn with_point<W: Sink>(
    f: &mut Formatter<'static, W>,
    sign: &str,
    digits: &[u8; 832],
    len: usize,
    k: i32,
    behind: u32,
) -> fmt::Result {
    let count = len as u32;
    if k <= 0 {
        let before = k.wrapping_neg() as u32;
        let rest = behind.saturating_sub(count).saturating_sub(before);
        return parts(f, sign, 2, "0.", before, text(digits, 0, len), rest, "", 0, "", "");
    }
    let whole = k as u32;
    if whole < count {
        let rest = behind.saturating_sub(count.wrapping_sub(whole));
        let (a, b) = (text(digits, 0, whole as usize), text(digits, whole as usize, len));
        return parts(f, sign, 3, a, 0, ".", 0, b, rest, "", "");
    }
    let has_point = if behind > 0 { 2 } else { 1 };
    parts(
        f,
        sign,
        has_point,
        text(digits, 0, len),
        whole.wrapping_sub(count),
        ".",
        behind,
        "",
        0,
        "",
        "",
    )
}

/// Digits with an exponent, at least so many.
#[routine(library)]
fn with_exponent<W: Sink>(
    f: &mut Formatter<'static, W>,
    sign: &str,
    digits: &[u8; 832],
    len: usize,
    k: i32,
    least: u32,
    is_upper: bool,
) -> fmt::Result {
    let exponent = k.wrapping_sub(1);
    let letter = match (is_upper, exponent < 0) {
        (false, false) => "e",
        (false, true) => "e-",
        (true, false) => "E",
        (true, true) => "E-",
    };
    let mut number = [b'0'; 4];
    let mut at = 4usize;
    let mut left = exponent.unsigned_abs();
    loop {
        at = at.wrapping_sub(1);
        number[at] = (left % 10) as u8 | b'0';
        left /= 10;
        if left == 0 {
            break;
        }
    }
    let number: &str = intrinsics::words(intrinsics::part(&&number[..], at, 4));
    let first = text(digits, 0, 1);
    if len > 1 || least > 1 {
        let rest = least.saturating_sub(len as u32);
        return parts(f, sign, 5, first, 0, ".", 0, text(digits, 1, len), rest, letter, number);
    }
    parts(f, sign, 3, first, 0, letter, 0, number, 0, "", "")
}

/// A float of whichever size, by its bits without the sign. `style`: a kind of texts.
#[routine(library)]
fn show<W: Sink>(
    f: &mut Formatter<'static, W>,
    value: u64,
    is_negative: bool,
    bits: u32,
    bias: i32,
    style: u32,
    is_upper: bool,
) -> fmt::Result {
    let infinite = ((bias as u64).wrapping_sub(bits as u64) << 1 | 1) << bits;
    if value > infinite {
        return parts(f, "", 1, "NaN", 0, "", 0, "", 0, "", "");
    }
    let sign = match (is_negative, f.flags & PLUS != 0) {
        (true, _) => "-",
        (false, true) => "+",
        (false, false) => "",
    };
    if value == infinite {
        return parts(f, sign, 1, "inf", 0, "", 0, "", 0, "", "");
    }
    let has_precision = f.precision > 0;
    let precision = f.precision.wrapping_sub(1);
    let is_exponential = style == EXPONENTIAL;
    if value == 0 {
        let point = if has_precision {
            precision
        } else if style == DEBUG {
            1
        } else {
            0
        };
        let exponent = match (is_exponential, is_upper) {
            (false, _) => "",
            (true, false) => "e0",
            (true, true) => "E0",
        };
        return match (point > 0, is_exponential) {
            (true, true) => parts(f, sign, 2, "0.", point, exponent, 0, "", 0, "", ""),
            (true, false) => parts(f, sign, 1, "0.", point, "", 0, "", 0, "", ""),
            (false, true) => parts(
                f,
                sign,
                1,
                if is_upper { "0E0" } else { "0e0" },
                0,
                "",
                0,
                "",
                0,
                "",
                "",
            ),
            (false, false) => parts(f, sign, 1, "0", 0, "", 0, "", 0, "", ""),
        };
    }
    let mut digits = [b'0'; 832];
    let number = apart(value, bits, bias);
    if !has_precision {
        let (len, k) = shortest(number, &mut digits);
        // `{:?}` has an exponent below 1e-4 and from 1e16 on.
        if is_exponential || style == DEBUG && (k < -3 || k > 16) {
            return with_exponent(f, sign, &digits, len, k, 0, is_upper);
        }
        let behind = if style == DEBUG { 1 } else { 0 };
        return with_point(f, sign, &digits, len, k, behind);
    }
    // As many digits as the number may have, as std estimates it.
    let exponent = number.2;
    let room = (21i32.wrapping_add((if exponent < 0 { -12i32 } else { 5i32 }).wrapping_mul(exponent) >> 4)) as usize;
    if is_exponential {
        let wanted = precision.wrapping_add(1);
        let most = if (wanted as usize) < room {
            wanted as usize
        } else {
            room
        };
        let (len, k) = exact(number, most, -32_768, &mut digits);
        return with_exponent(f, sign, &digits, len, k, wanted, is_upper);
    }
    let limit = if precision < 0x8000 {
        (precision as i32).wrapping_neg()
    } else {
        -32_768
    };
    let (len, k) = exact(number, room, limit, &mut digits);
    if k > limit {
        with_point(f, sign, &digits, len, k, precision)
    } else if precision > 0 {
        parts(f, sign, 1, "0.", precision, "", 0, "", 0, "", "")
    } else {
        parts(f, sign, 1, "0", 0, "", 0, "", 0, "", "")
    }
}

macro_rules! floats {
    ($($ty:ident $bits:literal $bias:literal $sign:literal: $($style:ident $kind:ident $is_upper:literal $name:ident),*;)*) => {$(
        $(
            #[routine(library)]
            pub fn $name<W: Sink>(value: &$ty, f: &mut Formatter<'static, W>) -> fmt::Result {
                let bits = value.to_bits() as u64;
                let magnitude = bits & (1u64 << $sign).wrapping_sub(1);
                show(f, magnitude, bits >> $sign != 0, $bits, $bias, $kind, $is_upper)
            }

            floats! { @style $style $ty $name }
        )*
    )*};
    (@style Display $ty:ident $name:ident) => {
        impl Displays for $ty {
            type Routine<W: Sink> = $name<W>;
        }
    };
    (@style Debug $ty:ident $name:ident) => {
        impl Debugs for $ty {
            type Routine<W: Sink> = $name<W>;
        }
    };
    (@style $style:ident $ty:ident $name:ident) => {
        #[diagnostic::do_not_recommend]
        impl<W: Sink> Formatted<{ Style::$style as u8 }, W> for $ty {
            type Slot = CallSlot<$name<W>>;
        }
    };
}
floats! {
    f32 23 150 31: Display DECIMAL false show_f32, Debug DEBUG false debug_f32, LowerExp EXPONENTIAL false exp_f32, UpperExp EXPONENTIAL true upper_exp_f32;
    f64 52 1075 63: Display DECIMAL false show_f64, Debug DEBUG false debug_f64, LowerExp EXPONENTIAL false exp_f64, UpperExp EXPONENTIAL true upper_exp_f64;
}
