//! What Unicode says of characters, from tables that the build script takes from the compiler's own standard library. A program has those that it uses as
//! [data](crate::program::Program::data).

use gpuvm_macros::routine;

use super::iter::IntoIter;
use super::{intrinsics, methods};
use crate::types::{Type, Value};

include!(concat!(env!("OUT_DIR"), "/unicode.rs"));

/// Whether a code is in a set of which these are the bounds: by how many are not above it.
#[routine(library)]
fn is_in(code: u32, bounds: &[u32]) -> bool {
    let (mut low, mut high) = (0, bounds.len());
    while low < high {
        let middle = (low + high) / 2;
        if bounds[middle] <= code {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low % 2 == 1
}

/// What a code becomes by a table of rows of four words.
#[routine(library)]
fn mapped(code: u32, rows: &[u32]) -> [u32; 3] {
    let (mut low, mut high) = (0, rows.len() / 4);
    while low < high {
        let middle = (low + high) / 2;
        let found = rows[middle * 4];
        if found == code {
            return [rows[middle * 4 + 1], rows[middle * 4 + 2], rows[middle * 4 + 3]];
        }
        if found < code {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    [code, 0, 0]
}

/// What is asked of most characters is asked of letters and digits of ASCII.
macro_rules! sets {
    ($($name:ident = $ascii:ident, $table:ident;)*) => {$(
        #[routine(library, inline)]
        fn $name(c: char) -> bool {
            let code: u32 = intrinsics::cast(c);
            if code < 128 { c.$ascii() } else { is_in(code, &$table) }
        }

        methods! { [] char, $name = $name; }
    )*};
}
sets! {
    is_alphabetic = is_ascii_alphabetic, ALPHABETIC;
    is_numeric = is_ascii_digit, NUMERIC;
    is_lowercase = is_ascii_lowercase, LOWERCASE;
    is_uppercase = is_ascii_uppercase, UPPERCASE;
}

/// Whether `{:?}` shows a character as another text. Of ASCII, a quote of one kind is, and of the other not.
#[routine(library, inline)]
pub fn is_escaped(c: char) -> bool {
    is_in(intrinsics::cast(c), &ESCAPED)
}

#[routine(library, inline)]
fn is_alphanumeric(c: char) -> bool {
    is_alphabetic(c) || is_numeric(c)
}

/// What becomes of a character as an iterator, which has one, two or three.
macro_rules! mappings {
    ($($name:ident, $std:ident = $ascii:ident, $table:ident;)*) => {$(
        #[routine(library, inline)]
        fn $name(c: char) -> IntoIter<char, 3> {
            let code: u32 = intrinsics::cast(c);
            let codes = if code < 128 {
                let one: u32 = intrinsics::cast(c.$ascii());
                [one, 0, 0]
            } else {
                mapped(code, &$table)
            };
            let end = if codes[1] == 0 { 1 } else if codes[2] == 0 { 2 } else { 3 };
            IntoIter {
                array: [intrinsics::cast(codes[0]), intrinsics::cast(codes[1]), intrinsics::cast(codes[2])],
                at: 0,
                end,
            }
        }

        methods! { [] char, $name = $name; }

        impl Value for std::char::$std {
            type Erased = IntoIter<char, 3>;
            type Inner = super::iter::AnIterator<IntoIter<char, 3>>;
            type Depth = crate::types::Zero;
            const TYPE: &'static Type = <IntoIter<char, 3> as Value>::TYPE;
        }
    )*};
}
mappings! {
    to_lowercase, ToLowercase = to_ascii_lowercase, TO_LOWERCASE;
    to_uppercase, ToUppercase = to_ascii_uppercase, TO_UPPERCASE;
}

methods! { [] char, is_alphanumeric = is_alphanumeric; }
