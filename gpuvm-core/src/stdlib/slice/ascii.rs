//! Methods of slices of bytes as text.

use gpuvm_macros::routine;

use super::{intrinsics, list_methods};

#[routine(library)]
fn trim_ascii_start(bytes: &[u8]) -> &[u8] {
    let length = bytes.len();
    let mut start = 0usize;
    while start < length && intrinsics::element(&bytes, start).is_ascii_whitespace() {
        start = start.wrapping_add(1);
    }
    intrinsics::part(&bytes, start, length)
}

#[routine(library)]
fn trim_ascii_end(bytes: &[u8]) -> &[u8] {
    let mut end = bytes.len();
    while end > 0 && intrinsics::element(&bytes, end.wrapping_sub(1)).is_ascii_whitespace() {
        end = end.wrapping_sub(1);
    }
    intrinsics::part(&bytes, 0, end)
}

#[routine(library, inline)]
fn trim_ascii(bytes: &[u8]) -> &[u8] {
    trim_ascii_end(trim_ascii_start(bytes))
}

#[routine(library)]
fn is_ascii(bytes: &[u8]) -> bool {
    for byte in bytes {
        if *byte >= 128 {
            return false;
        }
    }
    true
}

#[routine(library)]
fn eq_ignore_ascii_case(bytes: &[u8], other: &[u8]) -> bool {
    if bytes.len() != other.len() {
        return false;
    }
    let mut at = 0;
    for byte in other {
        if !intrinsics::element(&bytes, at).eq_ignore_ascii_case(byte) {
            return false;
        }
        at = at.wrapping_add(1);
    }
    true
}

#[routine(library)]
fn make_ascii_lowercase(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = byte.to_ascii_lowercase();
    }
}

#[routine(library)]
fn make_ascii_uppercase(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = byte.to_ascii_uppercase();
    }
}

list_methods! {
    [] u8: trim_ascii = trim_ascii, trim_ascii_start = trim_ascii_start, trim_ascii_end = trim_ascii_end, is_ascii = is_ascii,
        eq_ignore_ascii_case = eq_ignore_ascii_case, make_ascii_lowercase = make_ascii_lowercase,
        make_ascii_uppercase = make_ascii_uppercase;
}
