//! `char`.

use gpuvm::prelude::*;

cases! { kinds_of_characters, digits_of_characters, ranges_of_characters, ascii_of_characters, characters_kept }

#[routine]
fn kinds_of_characters(c: char, d: char) -> (u32, bool, bool, char, u32) {
    let kind = match c {
        'a'..='z' => 1,
        'A'..='Z' | '_' => 2,
        '\n' => 3,
        _ if c.is_whitespace() => 4,
        '\u{1100}'.. => 5,
        _ => 0,
    };
    (kind, c < d, c == d || c.is_control(), c.max(d), u32::from(c) ^ d as u32)
}

#[routine]
fn digits_of_characters(c: char, n: u32) -> (Option<u32>, Option<u32>, Option<char>, Option<char>, bool) {
    (
        c.to_digit(10),
        c.to_digit(n % 40),
        char::from_u32(n),
        char::from_digit(n % 50, 36),
        c.is_digit(16),
    )
}

#[routine]
fn ranges_of_characters(c: char, n: u32) -> (usize, u32, Option<char>, Option<char>, bool) {
    let most = if c < 'k' { c } else { 'k' };
    (
        ('a'..most).count(),
        ('a'..='f').rev().map(u32::from).fold(0, |a, x| a * 3 + x),
        ('\u{d7fe}'..='\u{e001}').nth((n % 5) as usize),
        ('\u{d7fe}'..'\u{e001}').next_back(),
        ('a'..='z').contains(&c),
    )
}

#[routine]
fn ascii_of_characters(c: char, d: char) -> ([bool; 11], char, char, bool, usize) {
    (
        [
            c.is_ascii(),
            c.is_ascii_alphabetic(),
            c.is_ascii_digit(),
            c.is_ascii_hexdigit(),
            c.is_ascii_alphanumeric(),
            c.is_ascii_uppercase(),
            c.is_ascii_lowercase(),
            c.is_ascii_whitespace(),
            c.is_ascii_punctuation(),
            c.is_ascii_graphic(),
            c.is_ascii_control(),
        ],
        c.to_ascii_uppercase(),
        d.to_ascii_lowercase(),
        c.eq_ignore_ascii_case(&d),
        c.len_utf8() + 10 * d.len_utf16(),
    )
}

#[routine]
fn characters_kept(c: char, byte: u8) -> ([char; 3], Option<char>, u8) {
    let mut text = ['\0'; 3];
    text[usize::from(byte) % 4] = c;
    text[0] = char::from(byte);
    text[2] = byte as char;
    (text, text.iter().copied().find(|x| *x > 'q'), c as u8)
}
