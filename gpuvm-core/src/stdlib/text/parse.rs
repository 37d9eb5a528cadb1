//! `parse`: of integers, `bool` and `char`.

use std::char::ParseCharError;
use std::num::{IntErrorKind, ParseIntError};
use std::str::ParseBoolError;

use gpuvm_macros::routine;

use super::super::{intrinsics, methods};
use super::as_bytes;
use super::chars::{after, char_at};
use crate::facts::{CallFact, GenericMethod, Parse};
use crate::types::{Field, Kind, Static, Type, Value, Variant, name_hash};

impl Value for IntErrorKind {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::tagged(
        "IntErrorKind",
        &[
            Variant::unit("Empty", 0),
            Variant::unit("InvalidDigit", 1),
            Variant::unit("PosOverflow", 2),
            Variant::unit("NegOverflow", 3),
            Variant::unit("Zero", 4),
        ],
    );
}

impl Value for ParseIntError {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        "ParseIntError",
        &[Field {
            hash: name_hash("kind"),
            name: "kind",
            ty: <IntErrorKind as Value>::TYPE,
            refs: 0,
            offset: 0,
        }],
    );
}

impl Value for ParseBoolError {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(Kind::Struct, "ParseBoolError", &[]);
}

impl Value for ParseCharError {
    type Erased = Self;
    type Inner = Self;
    type Depth = crate::types::Zero;
    const TYPE: &'static Type = &Type::record(
        Kind::Struct,
        "ParseCharError",
        &[Field {
            hash: name_hash("kind"),
            name: "kind",
            ty: &Type::tagged(
                "CharErrorKind",
                &[Variant::unit("EmptyString", 0), Variant::unit("TooManyChars", 1)],
            ),
            refs: 0,
            offset: 0,
        }],
    );
}

#[routine(library, inline)]
fn kind(error: &ParseIntError) -> &IntErrorKind {
    intrinsics::words(error)
}

#[routine(library, inline)]
fn error(kind: IntErrorKind) -> ParseIntError {
    intrinsics::words(kind)
}

/// What is parsed by these routines.
macro_rules! parses {
    ($($ty:ident = $name:ident;)*) => {
        $(
            impl Parse for $ty {
                const CALL: CallFact = CallFact::of::<$name>();
            }
        )*
        methods! { $([] $ty, from_str = $name;)* }
    };
}
pub(super) use parses;

const PARSE: u32 = gpuvm_macros::name_hash!("parse");

/// Which error it is follows from the type.
impl<T: Parse, E: Static> GenericMethod<PARSE, (), Result<T, E>> for str {
    type Slot = crate::facts::GenericSlot<PARSE, Self, (), Result<T, E>>;
    const CALL: Option<CallFact> = Some(T::CALL);
}

macro_rules! integers {
    ($($ty:ident $name:ident $radix_name:ident $signed:literal;)*) => {
        $(
            #[routine(library)]
            fn $radix_name(text: &str, radix: u32) -> Result<$ty, ParseIntError> {
                if radix < 2 || radix > 36 {
                    panic!("from_ascii_radix: radix must lie in the range `[2, 36]`");
                }
                let bytes = as_bytes(text);
                if bytes.is_empty() {
                    return Err(error(IntErrorKind::Empty));
                }
                let first = *intrinsics::element(&bytes, 0);
                let negative = $signed && first == 45;
                let mut at = if first == 43 || first == 45 { 1usize } else { 0 };
                if at == 1 && (bytes.len() == 1 || first == 45 && !$signed) {
                    return Err(error(IntErrorKind::InvalidDigit));
                }
                let mut value: $ty = 0;
                while at < bytes.len() {
                    let scaled = value.checked_mul(radix as $ty);
                    let Some(digit) = (*intrinsics::element(&bytes, at) as char).to_digit(radix) else {
                        return Err(error(IntErrorKind::InvalidDigit));
                    };
                    let next = match scaled {
                        Some(scaled) if negative => scaled.checked_sub(digit as $ty),
                        Some(scaled) => scaled.checked_add(digit as $ty),
                        None => None,
                    };
                    value = match next {
                        Some(next) => next,
                        None if negative => return Err(error(IntErrorKind::NegOverflow)),
                        None => return Err(error(IntErrorKind::PosOverflow)),
                    };
                    at = at.wrapping_add(1);
                }
                Ok(value)
            }

            #[routine(library, inline)]
            fn $name(text: &str) -> Result<$ty, ParseIntError> {
                $radix_name(text, 10)
            }
        )*
        parses! { $($ty = $name;)* }
        methods! {
            $(
                [] $ty, from_str_radix = $radix_name;
            )*
        }
    };
}
integers! {
    i8 parse_i8 radix_i8 true;
    i16 parse_i16 radix_i16 true;
    i32 parse_i32 radix_i32 true;
    i64 parse_i64 radix_i64 true;
    i128 parse_i128 radix_i128 true;
    isize parse_isize radix_isize true;
    u8 parse_u8 radix_u8 false;
    u16 parse_u16 radix_u16 false;
    u32 parse_u32 radix_u32 false;
    u64 parse_u64 radix_u64 false;
    u128 parse_u128 radix_u128 false;
    usize parse_usize radix_usize false;
}

#[routine(library)]
fn parse_bool(text: &str) -> Result<bool, ParseBoolError> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(intrinsics::nothing()),
    }
}

#[routine(library)]
fn parse_char(text: &str) -> Result<char, ParseCharError> {
    let kind = if text.is_empty() { 0u32 } else { 1 };
    if kind == 0 || after(text, 0) < text.len() {
        return Err(intrinsics::words(kind));
    }
    Ok(char_at(text, 0))
}

parses! {
    char = parse_char;
    bool = parse_bool;
}

methods! {
    [] ParseIntError, kind = kind;
}
