//! `char`.

use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};

cases! {
    kinds_of_characters, digits_of_characters, ranges_of_characters, ascii_of_characters, characters_kept, characters_by_unicode,
    case_of_characters, open_ranges_of_characters,
}

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

#[routine]
fn characters_by_unicode(c: char, d: char) -> ([bool; 5], bool) {
    let both = [c, d];
    (
        [
            c.is_alphabetic(),
            c.is_numeric(),
            c.is_alphanumeric(),
            c.is_lowercase(),
            c.is_uppercase(),
        ],
        both.iter().copied().all(char::is_alphanumeric),
    )
}

#[routine]
fn case_of_characters(c: char, d: char) -> ([Option<char>; 2], usize, u32, bool) {
    let mut upper = c.to_uppercase();
    let first = upper.next();
    let letters = [c, d];
    let lower = letters.iter().flat_map(|c| c.to_lowercase());
    (
        [first, upper.next_back()],
        d.to_uppercase().len(),
        lower.fold(7, |hash: u32, c| hash.wrapping_mul(31) ^ u32::from(c)),
        c.to_lowercase().eq(d.to_lowercase()),
    )
}

#[routine]
fn unicode_of(c: char) -> ([bool; 5], [u32; 2]) {
    let hash = |hash: u32, c: char| hash.wrapping_mul(0x9e37_79b9) ^ c as u32;
    (
        [
            c.is_alphabetic(),
            c.is_numeric(),
            c.is_alphanumeric(),
            c.is_lowercase(),
            c.is_uppercase(),
        ],
        [c.to_lowercase().fold(1, hash), c.to_uppercase().fold(1, hash)],
    )
}

/// Wherever what std says of a character is otherwise than of the one before, and one in a hundred of the rest.
#[test]
fn every_kind_of_character_is_told_as_by_std() {
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    let kind = |c: char| {
        let (kinds, _) = unicode_of(c);
        let same = c.to_lowercase().eq([c]) && c.to_uppercase().eq([c]);
        (kinds, same)
    };
    let mut asked: Vec<char> = all.iter().copied().step_by(97).collect();
    for pair in all.windows(2) {
        let [before, after] = [kind(pair[0]), kind(pair[1])];
        if before != after || !after.1 {
            asked.extend(pair);
        }
    }
    asked.sort_unstable();
    asked.dedup();
    let expected: Vec<_> = asked.iter().map(|&c| unicode_of(c)).collect();
    for engine in ENGINES {
        let launch = runtime().launch("unicode_of").unwrap().args((&asked[..],));
        let done = launch.engine(engine).run().unwrap();
        let found = done.output::<Vec<([bool; 5], [u32; 2])>>().unwrap();
        assert!(found == expected, "{engine}");
    }
}

#[routine]
fn open_ranges_of_characters(c: char, n: u32) -> (Option<char>, u32, u32, Option<char>) {
    let k = (n % 40) as usize;
    let from = if c < '\u{f0000}' { c } else { '\u{d7f0}' };
    let mut codes = 0u32;
    for (i, c) in (from..).enumerate() {
        if i == k {
            break;
        }
        codes = codes.wrapping_mul(31) ^ u32::from(c);
    }
    let mut rest = from..;
    rest.nth(k);
    (
        (from..).nth(k),
        codes,
        (from..).zip(0..n % 8).map(|(c, i)| c as u32 * i).sum(),
        rest.next(),
    )
}
