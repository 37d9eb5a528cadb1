//! Numbers as bytes, and their bytes' order.

use gpuvm_macros::routine;
#[cfg(feature = "half")]
use half::{bf16, f16};

use super::super::methods;
use super::integer::Integer;

/// Numbers as bytes.
macro_rules! bytes {
    ($($module:ident $ty:ident $unsigned:ident $bytes:literal;)*) => {$(
        mod $module {
            use gpuvm_macros::routine;

            use super::super::super::methods;

            #[routine(library, inline)]
            fn to_le_bytes(x: $ty) -> [u8; $bytes] {
                let mut bytes = [0u8; $bytes];
                let mut at = 0usize;
                while at < $bytes {
                    bytes[at] = ((x as $unsigned) >> (at as u32).wrapping_mul(8)) as u8;
                    at = at.wrapping_add(1);
                }
                bytes
            }

            #[routine(library, inline)]
            fn to_be_bytes(x: $ty) -> [u8; $bytes] {
                let mut bytes = [0u8; $bytes];
                let mut at = 0usize;
                while at < $bytes {
                    bytes[$bytes - 1 - at] = ((x as $unsigned) >> (at as u32).wrapping_mul(8)) as u8;
                    at = at.wrapping_add(1);
                }
                bytes
            }

            #[routine(library, inline)]
            pub fn from_le_bytes(bytes: [u8; $bytes]) -> $ty {
                let mut x = 0 as $unsigned;
                let mut at = 0usize;
                while at < $bytes {
                    x |= (bytes[at] as $unsigned) << (at as u32).wrapping_mul(8);
                    at = at.wrapping_add(1);
                }
                x as $ty
            }

            #[routine(library, inline)]
            pub fn from_be_bytes(bytes: [u8; $bytes]) -> $ty {
                let mut x = 0 as $unsigned;
                let mut at = 0usize;
                while at < $bytes {
                    x |= (bytes[$bytes - 1 - at] as $unsigned) << (at as u32).wrapping_mul(8);
                    at = at.wrapping_add(1);
                }
                x as $ty
            }

            methods! {
                [] $ty, to_le_bytes = to_le_bytes;
                [] $ty, to_ne_bytes = to_le_bytes;
                [] $ty, to_be_bytes = to_be_bytes;
                [] $ty, from_le_bytes = from_le_bytes;
                [] $ty, from_ne_bytes = from_le_bytes;
                [] $ty, from_be_bytes = from_be_bytes;
            }
        }
    )*};
}
bytes! {
    i8s i8 u8 1;
    u8s u8 u8 1;
    i16s i16 u16 2;
    i32s i32 u32 4;
    i64s i64 u64 8;
    u16s u16 u16 2;
    u32s u32 u32 4;
    u64s u64 u64 8;
    u128s u128 u128 16;
    i128s i128 u128 16;
}

/// Floats as the bytes of their bits.
macro_rules! float_bytes {
    ($($module:ident $ty:ident $bits:ident $bytes:literal;)*) => {$(
        mod $module {
            use super::*;

            #[routine(library, inline)]
            fn to_le_bytes(x: $ty) -> [u8; $bytes] {
                x.to_bits().to_le_bytes()
            }

            #[routine(library, inline)]
            fn to_be_bytes(x: $ty) -> [u8; $bytes] {
                x.to_bits().to_be_bytes()
            }

            #[routine(library, inline)]
            fn from_le_bytes(bytes: [u8; $bytes]) -> $ty {
                $ty::from_bits($bits::from_le_bytes(bytes))
            }

            #[routine(library, inline)]
            fn from_be_bytes(bytes: [u8; $bytes]) -> $ty {
                $ty::from_bits($bits::from_be_bytes(bytes))
            }

            methods! {
                [] $ty, to_le_bytes = to_le_bytes;
                [] $ty, to_ne_bytes = to_le_bytes;
                [] $ty, to_be_bytes = to_be_bytes;
                [] $ty, from_le_bytes = from_le_bytes;
                [] $ty, from_ne_bytes = from_le_bytes;
                [] $ty, from_be_bytes = from_be_bytes;
            }
        }
    )*};
}
float_bytes! {
    f32s f32 u32 4;
    f64s f64 u64 8;
}
#[cfg(feature = "half")]
float_bytes! {
    f16s f16 u16 2;
    bf16s bf16 u16 2;
}

/// The machine's words begin with their low ends, as x86's do.
#[routine(library, inline)]
fn same<T: Integer>(x: T) -> T {
    x
}

#[routine(library, inline)]
fn swapped<T: Integer>(x: T) -> T {
    x.swap_bytes()
}

macro_rules! orders {
    ($($ty:ty)*) => {
        methods! {$(
            [] $ty, to_le = same<$ty>;
            [] $ty, from_le = same<$ty>;
            [] $ty, to_be = swapped<$ty>;
            [] $ty, from_be = swapped<$ty>;
        )*}
    };
}
orders!(i8 i16 i32 i64 i128 u8 u16 u32 u64 u128);
