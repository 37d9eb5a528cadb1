//! Integer functions that are loops, and the Euclidean division of floats: what std writes out in Rust is written out here as
//! routines.

use gpuvm_macros::routine;

macro_rules! powers {
    ($($name:ident $ty:ident;)*) => {$(
        /// `base` to the power of `exponent`, wrapped, and whether the exact result does not fit.
        ///
        /// Exponentiation by squaring, as std does it: no factor that is not needed is computed, so the flag is exact.
        #[routine(library)]
        pub fn $name(base: $ty, exponent: u32) -> ($ty, bool) {
            let mut factor = base;
            let mut rest = exponent;
            let mut result: $ty = 1;
            let mut overflow = false;
            while rest > 0 {
                if rest & 1 == 1 {
                    let (product, over) = result.overflowing_mul(factor);
                    result = product;
                    overflow |= over;
                }
                rest >>= 1;
                if rest > 0 {
                    let (square, over) = factor.overflowing_mul(factor);
                    factor = square;
                    overflow |= over;
                }
            }
            (result, overflow)
        }
    )*};
}
powers! {
    pow_u32 u32;
    pow_i32 i32;
    pow_u64 u64;
    pow_i64 i64;
    pow_u128 u128;
    pow_i128 i128;
}

/// The whole part of the square root, digit by digit (Woo's abacus algorithm).
#[routine(library)]
pub fn isqrt_u32(value: u32) -> u32 {
    let mut rest = value;
    let mut root = 0u32;
    let mut digit = 1u32 << 30;
    while digit > rest {
        digit >>= 2;
    }
    while digit != 0 {
        let trial = root + digit;
        root >>= 1;
        if rest >= trial {
            rest -= trial;
            root += digit;
        }
        digit >>= 2;
    }
    root
}

/// The whole part of the square root of a `u64`, likewise.
#[routine(library)]
pub fn isqrt_u64(value: u64) -> u32 {
    let mut rest = value;
    let mut root = 0u64;
    let mut digit = 1u64 << 62;
    while digit > rest {
        digit >>= 2;
    }
    while digit != 0 {
        let trial = root + digit;
        root >>= 1;
        if rest >= trial {
            rest -= trial;
            root += digit;
        }
        digit >>= 2;
    }
    root as u32
}

macro_rules! euclid {
    ($($ty:ident: $quotient:ident $rest:ident;)*) => {$(
        #[doc = concat!("`", stringify!($ty), "::div_euclid`, the formula of std.")]
        #[routine(library)]
        pub fn $quotient(x: $ty, y: $ty) -> $ty {
            let quotient = (x / y).trunc();
            if x % y < 0.0 {
                return if y > 0.0 { quotient - 1.0 } else { quotient + 1.0 };
            }
            quotient
        }

        #[doc = concat!("`", stringify!($ty), "::rem_euclid`, the formula of std.")]
        #[routine(library)]
        pub fn $rest(x: $ty, y: $ty) -> $ty {
            let rest = x % y;
            if rest < 0.0 { rest + y.abs() } else { rest }
        }
    )*};
}
euclid! {
    f32: div_euclid_f32 rem_euclid_f32;
    f64: div_euclid_f64 rem_euclid_f64;
}
