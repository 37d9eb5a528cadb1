//! `{:e}` of integers, as `core::fmt::num` has it: zeros at the end become the exponent, and a precision rounds to even.

use std::fmt;

use gpuvm_macros::routine;
use gpuvm_nodes::Style;

use super::super::intrinsics;
use super::float::parts;
use super::{Formatted, Formatter, PLUS, Sink};
use crate::facts::CallSlot;

/// The digits behind the first one are written with a point, unless there are none.
macro_rules! exponents {
    ($($name:ident $ty:ident;)*) => {$(
        #[routine(library)]
        fn $name<W: Sink>(f: &mut Formatter<'static, W>, value: $ty, is_negative: bool, is_upper: bool) -> fmt::Result {
            let mut left = value;
            let mut exponent = 0u32;
            while left % 10 == 0 && left >= 10 {
                left /= 10;
                exponent = exponent.wrapping_add(1);
            }
            let mut added = 0u32;
            if f.precision > 0 {
                let precision = f.precision.wrapping_sub(1);
                let mut behind = 0u32;
                let mut rest = left;
                while rest >= 10 {
                    rest /= 10;
                    behind = behind.wrapping_add(1);
                }
                added = precision.saturating_sub(behind);
                let removed = behind.saturating_sub(precision);
                let mut count = 1u32;
                while count < removed {
                    left /= 10;
                    exponent = exponent.wrapping_add(1);
                    count = count.wrapping_add(1);
                }
                if removed != 0 {
                    let last = left % 10;
                    left /= 10;
                    exponent = exponent.wrapping_add(1);
                    if last > 5 || last == 5 && (left % 2 != 0 || removed > 1) {
                        left = left.wrapping_add(1);
                        // All digits were nines: one more of them.
                        let mut power = left;
                        while power % 10 == 0 && power > 1 {
                            power /= 10;
                        }
                        if power == 1 && left > 1 {
                            left /= 10;
                            exponent = exponent.wrapping_add(1);
                        }
                    }
                }
            }
            let zeros = exponent;
            let mut digits = [b'0'; 44];
            let mut at = 44usize;
            while left >= 10 {
                at = at.wrapping_sub(1);
                digits[at] = (left % 10) as u8 | b'0';
                left /= 10;
                exponent = exponent.wrapping_add(1);
            }
            if exponent != zeros || added != 0 {
                at = at.wrapping_sub(1);
                digits[at] = b'.';
            }
            at = at.wrapping_sub(1);
            digits[at] = left as u8 | b'0';
            let mut power = [if is_upper { b'E' } else { b'e' }; 3];
            let mut end = 2usize;
            if exponent >= 10 {
                power[1] = (exponent / 10) as u8 | b'0';
                end = 3;
            }
            power[end.wrapping_sub(1)] = (exponent % 10) as u8 | b'0';
            let sign = match (is_negative, f.flags & PLUS != 0) {
                (true, _) => "-",
                (false, true) => "+",
                (false, false) => "",
            };
            let first: &str = intrinsics::words(intrinsics::part(&&digits[..], at, 44));
            let second: &str = intrinsics::words(intrinsics::part(&&power[..], 0, end));
            parts(f, sign, 2, first, added, second, 0, "", 0, "", "")
        }
    )*};
}
exponents! {
    exponent_64 u64;
    exponent_128 u128;
}

macro_rules! integers {
    ($($ty:ident $by:ident as $wide:ident $lower:ident $upper:ident: $value:ident => $negative:expr, $size:expr;)*) => {$(
        #[routine(library)]
        pub fn $lower<W: Sink>(value: &$ty, f: &mut Formatter<'static, W>) -> fmt::Result {
            let $value = *value;
            $by(f, $size as $wide, $negative, false)
        }

        #[routine(library)]
        pub fn $upper<W: Sink>(value: &$ty, f: &mut Formatter<'static, W>) -> fmt::Result {
            let $value = *value;
            $by(f, $size as $wide, $negative, true)
        }

        #[diagnostic::do_not_recommend]
        impl<W: Sink> Formatted<{ Style::LowerExp as u8 }, W> for $ty {
            type Slot = CallSlot<$lower<W>>;
        }

        #[diagnostic::do_not_recommend]
        impl<W: Sink> Formatted<{ Style::UpperExp as u8 }, W> for $ty {
            type Slot = CallSlot<$upper<W>>;
        }
    )*};
}
integers! {
    u8 exponent_64 as u64 exp_u8 upper_exp_u8: x => false, x;
    u16 exponent_64 as u64 exp_u16 upper_exp_u16: x => false, x;
    u32 exponent_64 as u64 exp_u32 upper_exp_u32: x => false, x;
    u64 exponent_64 as u64 exp_u64 upper_exp_u64: x => false, x;
    u128 exponent_128 as u128 exp_u128 upper_exp_u128: x => false, x;
    usize exponent_64 as u64 exp_usize upper_exp_usize: x => false, x;
    i8 exponent_64 as u64 exp_i8 upper_exp_i8: x => x < 0, x.unsigned_abs();
    i16 exponent_64 as u64 exp_i16 upper_exp_i16: x => x < 0, x.unsigned_abs();
    i32 exponent_64 as u64 exp_i32 upper_exp_i32: x => x < 0, x.unsigned_abs();
    i64 exponent_64 as u64 exp_i64 upper_exp_i64: x => x < 0, x.unsigned_abs();
    i128 exponent_128 as u128 exp_i128 upper_exp_i128: x => x < 0, x.unsigned_abs();
    isize exponent_64 as u64 exp_isize upper_exp_isize: x => x < 0, x.unsigned_abs();
}
