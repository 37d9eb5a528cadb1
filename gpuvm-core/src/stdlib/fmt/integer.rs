//! Integers in texts, in any base that std has.

use std::fmt;

use gpuvm_macros::routine;
use gpuvm_nodes::Style;

use super::super::intrinsics;
use super::{Debugs, Displays, Formatted, Formatter, LOWER, Sink, UPPER, pad_integral};
use crate::facts::CallSlot;

/// Digits from the place on that comes back; the last one is at the end.
#[routine(library)]
fn decimal_32(value: u32, digits: &mut [u8; 128]) -> usize {
    decimal_before(128, value, digits)
}

/// The same with the last one before a place.
#[routine(library)]
fn decimal_before(end: usize, value: u32, digits: &mut [u8; 128]) -> usize {
    let mut at = end;
    let mut left = value;
    loop {
        at = at.wrapping_sub(1);
        digits[at] = (left % 10) as u8 | 48;
        left /= 10;
        if left == 0 {
            return at;
        }
    }
}

/// The same of larger ones, nine digits at a time.
#[routine(library)]
fn decimal_64(value: u64, digits: &mut [u8; 128]) -> usize {
    let mut at = 128usize;
    let mut left = value;
    while left >> 32 != 0 {
        let mut part = (left % 1_000_000_000) as u32;
        left /= 1_000_000_000;
        let end = at.wrapping_sub(9);
        while at > end {
            at = at.wrapping_sub(1);
            digits[at] = (part % 10) as u8 | 48;
            part /= 10;
        }
    }
    decimal_before(at, left as u32, digits)
}

#[routine(library)]
pub(super) fn decimal_128(value: u128, digits: &mut [u8; 128]) -> usize {
    let mut at = 128usize;
    let mut left = value;
    while left >> 32 != 0 {
        let mut part = (left % 1_000_000_000) as u32;
        left /= 1_000_000_000;
        let end = at.wrapping_sub(9);
        while at > end {
            at = at.wrapping_sub(1);
            digits[at] = (part % 10) as u8 | 48;
            part /= 10;
        }
    }
    decimal_before(at, left as u32, digits)
}

/// Digits of `shift` bits each. `letters`: what is added to 10 for the first letter.
#[routine(library)]
fn bits(value: u64, shift: u32, letters: u32, digits: &mut [u8; 128]) -> usize {
    let mut at = 128usize;
    let mut left = value;
    let mask = (1u32 << shift).wrapping_sub(1);
    loop {
        at = at.wrapping_sub(1);
        let digit = left as u32 & mask;
        let letter = if digit < 10 { 48 } else { letters };
        digits[at] = digit.wrapping_add(letter) as u8;
        left >>= shift;
        if left == 0 {
            return at;
        }
    }
}

#[routine(library)]
fn bits_128(value: u128, shift: u32, letters: u32, digits: &mut [u8; 128]) -> usize {
    let mut at = 128usize;
    let mut left = value;
    let mask = (1u32 << shift).wrapping_sub(1);
    loop {
        at = at.wrapping_sub(1);
        let digit = left as u32 & mask;
        let letter = if digit < 10 { 48 } else { letters };
        digits[at] = digit.wrapping_add(letter) as u8;
        left >>= shift;
        if left == 0 {
            return at;
        }
    }
}

#[routine(library)]
fn show<W: Sink>(
    f: &mut Formatter<'static, W>,
    is_nonnegative: bool,
    prefix: &str,
    digits: &[u8; 128],
    from: usize,
) -> fmt::Result {
    pad_integral(
        f,
        is_nonnegative,
        prefix,
        intrinsics::words(intrinsics::part(&&digits[..], from, 128)),
    )
}

macro_rules! integers {
    ($($ty:ident as $unsigned:ident as $wide:ident [$decimal:ident $bits:ident as $bits_as:ident]
        $name:ident $lower:ident $upper:ident $binary:ident $octal:ident $debug:ident: $value:ident => $negative:expr, $size:expr;)*) => {$(
        #[routine(library)]
        pub fn $name<W: Sink>(value: &$ty, f: &mut Formatter<'static, W>) -> fmt::Result {
            let mut digits = [48u8; 128];
            let $value = *value;
            let size: $unsigned = $size;
            let from = $decimal(size as $wide, &mut digits);
            show(f, !$negative, "", &digits, from)
        }

        #[routine(library)]
        pub fn $lower<W: Sink>(value: &$ty, f: &mut Formatter<'static, W>) -> fmt::Result {
            let mut digits = [48u8; 128];
            let from = $bits(*value as $unsigned as $bits_as, 4, 87, &mut digits);
            show(f, true, "0x", &digits, from)
        }

        #[routine(library)]
        pub fn $upper<W: Sink>(value: &$ty, f: &mut Formatter<'static, W>) -> fmt::Result {
            let mut digits = [48u8; 128];
            let from = $bits(*value as $unsigned as $bits_as, 4, 55, &mut digits);
            show(f, true, "0x", &digits, from)
        }

        #[routine(library)]
        pub fn $binary<W: Sink>(value: &$ty, f: &mut Formatter<'static, W>) -> fmt::Result {
            let mut digits = [48u8; 128];
            let from = $bits(*value as $unsigned as $bits_as, 1, 48, &mut digits);
            show(f, true, "0b", &digits, from)
        }

        #[routine(library)]
        pub fn $octal<W: Sink>(value: &$ty, f: &mut Formatter<'static, W>) -> fmt::Result {
            let mut digits = [48u8; 128];
            let from = $bits(*value as $unsigned as $bits_as, 3, 48, &mut digits);
            show(f, true, "0o", &digits, from)
        }

        /// `{:x?}` around a value holds for all that is inside of it.
        #[routine(library)]
        pub fn $debug<W: Sink>(value: &$ty, f: &mut Formatter<'static, W>) -> fmt::Result {
            if f.flags & (LOWER | UPPER) == 0 {
                return $name(value, f);
            }
            let letters = if f.flags & LOWER != 0 { 87 } else { 55 };
            let mut digits = [48u8; 128];
            let from = $bits(*value as $unsigned as $bits_as, 4, letters, &mut digits);
            show(f, true, "0x", &digits, from)
        }

        impl Displays for $ty {
            type Routine<W: Sink> = $name<W>;
        }

        impl Debugs for $ty {
            type Routine<W: Sink> = $debug<W>;
        }

        integers! { @styles $ty: LowerHex $lower UpperHex $upper Binary $binary Octal $octal }
    )*};
    (@styles $ty:ident: $($style:ident $name:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<W: Sink> Formatted<{ Style::$style as u8 }, W> for $ty {
            type Slot = CallSlot<$name<W>>;
        }
    )*};
}
integers! {
    u8 as u8 as u32 [decimal_32 bits as u64] show_u8 lower_u8 upper_u8 binary_u8 octal_u8 debug_u8: x => false, x;
    u16 as u16 as u32 [decimal_32 bits as u64] show_u16 lower_u16 upper_u16 binary_u16 octal_u16 debug_u16: x => false, x;
    u32 as u32 as u32 [decimal_32 bits as u64] show_u32 lower_u32 upper_u32 binary_u32 octal_u32 debug_u32: x => false, x;
    u64 as u64 as u64 [decimal_64 bits as u64] show_u64 lower_u64 upper_u64 binary_u64 octal_u64 debug_u64: x => false, x;
    u128 as u128 as u128 [decimal_128 bits_128 as u128] show_u128 lower_u128 upper_u128 binary_u128 octal_u128 debug_u128: x => false, x;
    usize as usize as u32 [decimal_32 bits as u64] show_usize lower_usize upper_usize binary_usize octal_usize debug_usize: x => false, x;
    i8 as u8 as u32 [decimal_32 bits as u64] show_i8 lower_i8 upper_i8 binary_i8 octal_i8 debug_i8: x => (x < 0), x.unsigned_abs();
    i16 as u16 as u32 [decimal_32 bits as u64] show_i16 lower_i16 upper_i16 binary_i16 octal_i16 debug_i16: x => (x < 0), x.unsigned_abs();
    i32 as u32 as u32 [decimal_32 bits as u64] show_i32 lower_i32 upper_i32 binary_i32 octal_i32 debug_i32: x => (x < 0), x.unsigned_abs();
    i64 as u64 as u64 [decimal_64 bits as u64] show_i64 lower_i64 upper_i64 binary_i64 octal_i64 debug_i64: x => (x < 0), x.unsigned_abs();
    i128 as u128 as u128 [decimal_128 bits_128 as u128] show_i128 lower_i128 upper_i128 binary_i128 octal_i128 debug_i128: x => (x < 0), x.unsigned_abs();
    isize as usize as u32 [decimal_32 bits as u64] show_isize lower_isize upper_isize binary_isize octal_isize debug_isize: x => (x < 0), x.unsigned_abs();
}
