//! Methods of floats that are made of others.

use std::cmp::Ordering;
use std::num::FpCategory;

use gpuvm_macros::routine;

use super::super::methods;

macro_rules! of_float {
    ($module:ident $float:ident $signed:ident $unsigned:ident) => {
        mod $module {
            use super::*;

            /// std's: the bits in the order of integers, those of negative numbers turned round. There is one NaN, above all numbers.
            #[routine(library, inline)]
            fn total_cmp(a: &$float, b: &$float) -> Ordering {
                let (a, b) = (a.to_bits() as $signed, b.to_bits() as $signed);
                let a = a ^ (((a >> ($signed::BITS - 1)) as $unsigned) >> 1) as $signed;
                let b = b ^ (((b >> ($signed::BITS - 1)) as $unsigned) >> 1) as $signed;
                a.cmp(&b)
            }

            #[routine(library)]
            fn next_up(x: $float) -> $float {
                let bits = x.to_bits();
                let magnitude = bits & ($unsigned::MAX >> 1);
                if x.is_nan() || x == $float::INFINITY {
                    x
                } else if magnitude == 0 {
                    $float::from_bits(1)
                } else if bits == magnitude {
                    $float::from_bits(bits.wrapping_add(1))
                } else {
                    $float::from_bits(bits.wrapping_sub(1))
                }
            }

            #[routine(library)]
            fn next_down(x: $float) -> $float {
                -next_up(-x)
            }

            #[routine(library, inline)]
            fn is_subnormal(x: $float) -> bool {
                x != 0.0 && x.is_finite() && !x.is_normal()
            }

            #[routine(library, inline)]
            fn classify(x: $float) -> FpCategory {
                if x.is_nan() {
                    FpCategory::Nan
                } else if x.is_infinite() {
                    FpCategory::Infinite
                } else if x == 0.0 {
                    FpCategory::Zero
                } else if x.is_normal() {
                    FpCategory::Normal
                } else {
                    FpCategory::Subnormal
                }
            }

            methods! {
                [] $float, classify = classify;
                [] $float, total_cmp = total_cmp;
                [] $float, next_up = next_up;
                [] $float, next_down = next_down;
                [] $float, is_subnormal = is_subnormal;
            }
        }
    };
}
of_float!(single f32 i32 u32);
of_float!(double f64 i64 u64);

/// In doubles, which lose nothing and cannot overflow.
#[routine(library)]
fn midpoint(a: f32, b: f32) -> f32 {
    ((f64::from(a) + f64::from(b)) / 2.0) as f32
}

/// std's: halves first only what could overflow, since a half of the smallest numbers is rounded.
#[routine(library)]
fn midpoint_of_doubles(a: f64, b: f64) -> f64 {
    const LOW: f64 = f64::MIN_POSITIVE * 2.0;
    const HIGH: f64 = f64::MAX / 2.0;
    let (size_of_a, size_of_b) = (a.abs(), b.abs());
    if size_of_a <= HIGH && size_of_b <= HIGH {
        (a + b) / 2.0
    } else if size_of_a < LOW {
        a + b / 2.0
    } else if size_of_b < LOW {
        a / 2.0 + b
    } else {
        a / 2.0 + b / 2.0
    }
}

methods! {
    [] f32, midpoint = midpoint;
    [] f64, midpoint = midpoint_of_doubles;
}
