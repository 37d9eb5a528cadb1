//! Methods of `u8` as a character of ASCII.

use gpuvm_macros::routine;

use super::super::methods;

/// Tests of one byte.
macro_rules! ascii {
    ($($name:ident($x:ident) $test:expr;)*) => {
        $(
            #[routine(library, inline)]
            fn $name(x: &u8) -> bool {
                let $x = *x;
                $test
            }
        )*
        methods! { $([] u8, $name = $name;)* }
    };
}
ascii! {
    is_ascii(x) x < 128;
    is_ascii_digit(x) x.wrapping_sub(b'0') < 10;
    is_ascii_hexdigit(x) x.wrapping_sub(b'0') < 10 || (x | 0x20).wrapping_sub(b'a') < 6;
    is_ascii_lowercase(x) x.wrapping_sub(b'a') < 26;
    is_ascii_uppercase(x) x.wrapping_sub(b'A') < 26;
    is_ascii_alphabetic(x) (x | 0x20).wrapping_sub(b'a') < 26;
    is_ascii_alphanumeric(x) x.wrapping_sub(b'0') < 10 || (x | 0x20).wrapping_sub(b'a') < 26;
    is_ascii_whitespace(x) x == b' ' || x == b'\t' || x == b'\n' || x == b'\r' || x == 12;
    is_ascii_graphic(x) x.wrapping_sub(b'!') < 94;
    is_ascii_punctuation(x) x.wrapping_sub(b'!') < 94 && !(x.wrapping_sub(b'0') < 10 || (x | 0x20).wrapping_sub(b'a') < 26);
    is_ascii_control(x) x < 32 || x == 127;
}

#[routine(library, inline)]
fn to_ascii_lowercase(x: &u8) -> u8 {
    if x.wrapping_sub(b'A') < 26 { *x | 0x20 } else { *x }
}

#[routine(library, inline)]
fn to_ascii_uppercase(x: &u8) -> u8 {
    if x.wrapping_sub(b'a') < 26 { *x ^ 0x20 } else { *x }
}

#[routine(library, inline)]
fn eq_ignore_ascii_case(x: &u8, y: &u8) -> bool {
    to_ascii_lowercase(x) == to_ascii_lowercase(y)
}

methods! {
    [] u8, to_ascii_lowercase = to_ascii_lowercase;
    [] u8, to_ascii_uppercase = to_ascii_uppercase;
    [] u8, eq_ignore_ascii_case = eq_ignore_ascii_case;
}

#[routine(library, inline)]
fn make_ascii_lowercase(x: &mut u8) {
    *x = to_ascii_lowercase(x);
}

#[routine(library, inline)]
fn make_ascii_uppercase(x: &mut u8) {
    *x = to_ascii_uppercase(x);
}

methods! {
    [] u8, make_ascii_lowercase = make_ascii_lowercase;
    [] u8, make_ascii_uppercase = make_ascii_uppercase;
}
