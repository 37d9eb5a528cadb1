//! Methods of integers that trap where the result does not fit, whatever operators do then, and products of two words.

use gpuvm_macros::routine;

use super::super::methods;
use super::integer::Integer;
use super::mixed::Signed;

/// What the checked method has, or a trap.
macro_rules! strict {
    ($($name:ident<$trait:ident> = $checked:ident($($argument:ident: $ty:ty),*), $text:literal;)*) => {$(
        #[routine(library, inline)]
        fn $name<T: $trait>(a: T $(, $argument: $ty)*) -> T {
            match a.$checked($($argument),*) {
                Some(result) => result,
                None => panic!($text),
            }
        }
    )*};
}
strict! {
    strict_add<Integer> = checked_add(b: T), "attempt to add with overflow";
    strict_sub<Integer> = checked_sub(b: T), "attempt to subtract with overflow";
    strict_mul<Integer> = checked_mul(b: T), "attempt to multiply with overflow";
    strict_pow<Integer> = checked_pow(exponent: u32), "attempt to multiply with overflow";
    strict_neg<Integer> = checked_neg(), "attempt to negate with overflow";
    strict_shl<Integer> = checked_shl(by: u32), "attempt to shift left with overflow";
    strict_shr<Integer> = checked_shr(by: u32), "attempt to shift right with overflow";
    strict_abs<Signed> = checked_abs(), "attempt to negate with overflow";
}

macro_rules! of_integers {
    ($($ty:ident)*) => {
        methods! {$(
            [] $ty, strict_add = strict_add<$ty>;
            [] $ty, strict_sub = strict_sub<$ty>;
            [] $ty, strict_mul = strict_mul<$ty>;
            [] $ty, strict_pow = strict_pow<$ty>;
            [] $ty, strict_neg = strict_neg<$ty>;
            [] $ty, strict_shl = strict_shl<$ty>;
            [] $ty, strict_shr = strict_shr<$ty>;
        )*}
    };
}
of_integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

methods! {
    [] i8, strict_abs = strict_abs<i8>;
    [] i16, strict_abs = strict_abs<i16>;
    [] i32, strict_abs = strict_abs<i32>;
    [] i64, strict_abs = strict_abs<i64>;
    [] i128, strict_abs = strict_abs<i128>;
    [] isize, strict_abs = strict_abs<isize>;
}

/// A product and what is added to it, in two numbers.
macro_rules! products {
    ($($module:ident $ty:ident $wide:ident;)*) => {$(
        mod $module {
            use super::*;

            #[routine(library, inline)]
            fn carrying_mul_add(a: $ty, b: $ty, carry: $ty, add: $ty) -> ($ty, $ty) {
                let product = (a as $wide)
                    .wrapping_mul(b as $wide)
                    .wrapping_add(carry as $wide)
                    .wrapping_add(add as $wide);
                (product as $ty, product.wrapping_shr($ty::BITS) as $ty)
            }

            #[routine(library, inline)]
            fn carrying_mul(a: $ty, b: $ty, carry: $ty) -> ($ty, $ty) {
                carrying_mul_add(a, b, carry, 0)
            }

            methods! {
                [] $ty, carrying_mul = carrying_mul;
                [] $ty, carrying_mul_add = carrying_mul_add;
            }
        }
    )*};
}
products! {
    of_8 u8 u32;
    of_16 u16 u32;
    of_32 u32 u64;
    of_64 u64 u128;
}
