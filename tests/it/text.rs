//! Text: literals, tables, patterns, std's methods, and texts that are shown.

use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};

cases! {
    literal, matched, error_of_text, table_of_text, text_table_of_structs, text_compared, largest, characters, from_both_ends, text_searched, searched_by_text,
    searched_by_characters, stripped, parts, cut_anywhere, split_by_text, split_by_characters, split_into_words, split_into_lines, parsed, parsed_wide,
    of_bytes, kept_in_a_struct, unwrapped, panics_with_text, asserts_with_text, expects_text, split_at_anywhere, text_by_path,
    text_matched, characters_matched, split_with_ends, split_from_behind,
}

const TEXTS: [&str; 12] = [
    "",
    " a b ",
    "grün=ß,x",
    "漢字 kana",
    "a=b=c",
    "🦀crab🦀",
    "  ",
    "x,,y,",
    "aaa",
    "=é=",
    "one\r\ntwo\n\nthree",
    "\u{2003}ä\u{85}",
];
static MORE: [&[&str]; 2] = [&["a", "bc"], &["déf"]];
const NAMES: &[&str] = &["zero", "one", "", "drei"];

#[routine]
fn text_of(x: u32) -> &'static str {
    TEXTS[x as usize % TEXTS.len()]
}

#[routine]
fn hash(a: u32, text: &str) -> u32 {
    text.bytes().fold(a.wrapping_mul(31).wrapping_add(7), |a, b| {
        a.wrapping_mul(31).wrapping_add(b as u32)
    })
}

/// A text of characters of one to four bytes, of which each byte of the seed chooses one.
#[routine]
fn made(seed: [u8; 6], buffer: &mut [u8; 24]) -> usize {
    const PIECES: [&str; 12] = ["a", "=", " ", "b", "é", "漢", "🦀", ",", "a", "=", "\n", "ß"];
    let mut length = 0;
    for byte in seed {
        if byte % 16 < 12 {
            for one in PIECES[byte as usize % 16].bytes() {
                buffer[length] = one;
                length += 1;
            }
        }
    }
    length
}

#[routine]
fn literal(x: u32) -> (usize, bool, u8, usize) {
    let word = if x % 3 == 0 { "gpu" } else { "größe" };
    let other: &str = word;
    (other.len(), word.is_empty(), word.as_bytes()[x as usize % 3], "".len())
}

#[routine]
fn matched(x: u32) -> (u32, bool, u32) {
    let word = NAMES[x as usize % 4];
    let number = match word {
        "zero" | "one" if x > 7 => 1,
        "one" => 2,
        "" => 3,
        other => other.len() as u32 + 10,
    };
    let pair = match (word, x % 2) {
        ("drei", 1) => 5,
        ("zero", _) => 6,
        _ => 7,
    };
    let is = if let "one" = word { 100 } else { 200 };
    (number + pair, matches!(word, "drei" | "zero"), is)
}

#[routine]
fn checked(x: u32) -> Result<u32, &'static str> {
    match x % 4 {
        0 => Err("none"),
        3 => Err("too many"),
        x => Ok(x),
    }
}

#[routine]
fn doubled(x: u32) -> Result<u32, &'static str> {
    let x = checked(x)?;
    checked(x + 1).map_err(|error| if error == "none" { "never" } else { error })
}

#[routine]
fn error_of_text(x: u32) -> (u32, bool, usize) {
    let result = match doubled(x) {
        Ok(x) => x,
        Err("none") => 77,
        Err(error) => error.len() as u32,
    };
    (
        result,
        checked(x) == Err("none"),
        checked(x).err().unwrap_or_default().len(),
    )
}

#[routine]
fn table_of_text(x: u32) -> (u32, usize, bool) {
    let mut all = 0;
    for name in NAMES.iter().chain(MORE[x as usize % 2]) {
        all = hash(all, name);
    }
    let place = NAMES.iter().position(|name| *name == text_of(x)).unwrap_or(9);
    (all, place, NAMES.contains(&["one", "two"][x as usize % 2]))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Instruction<'a> {
    name: &'a str,
    arity: u32,
}

#[derive(VmType, Clone, Copy, PartialEq, Debug)]
enum Token<'a> {
    Word(&'a str),
    Number(u32),
    End,
}

const INSTRUCTIONS: [Instruction<'static>; 3] = [
    Instruction { name: "add", arity: 2 },
    Instruction { name: "neg", arity: 1 },
    Instruction { name: "", arity: 0 },
];
const TOKENS: &[Token<'static>] = &[Token::Word("x"), Token::Number(3), Token::End, Token::Word("yy")];
static PAIRS: &[(&str, Option<&str>)] = &[("a", None), ("b", Some("bb"))];

#[routine]
fn text_table_of_structs(x: u32) -> (u32, usize, bool) {
    let word = ["neg", "add", "mul"][x as usize % 3];
    let arity = INSTRUCTIONS
        .iter()
        .find(|one| one.name == word)
        .map_or(9, |one| one.arity);
    let length = match TOKENS[x as usize % 4] {
        Token::Word(word) => word.len(),
        Token::Number(number) => number as usize + 10,
        Token::End => 0,
    };
    let pair = PAIRS[x as usize % 2];
    (
        arity,
        length + pair.0.len() + pair.1.map_or(20, str::len),
        TOKENS[x as usize % 4] == Token::Word("yy"),
    )
}

#[routine]
fn text_compared(x: u32, y: u32) -> ([bool; 6], std::cmp::Ordering, Option<std::cmp::Ordering>, [bool; 3]) {
    let (a, b) = (text_of(x), text_of(y));
    let orders = [a == b, a != b, a < b, a <= b, a > b, a >= b];
    let more = [[a, b] == [b, a], Some(a) < Some(b), (a, x) == (b, y)];
    (orders, a.cmp(b), a.partial_cmp(b), more)
}

#[routine]
fn largest(x: u32, y: u32) -> (u32, u32) {
    let (a, b) = (text_of(x), text_of(y));
    (hash(1, a.max(b)), hash(1, a.min(b)))
}

#[routine]
fn characters(seed: [u8; 6]) -> (u32, usize, u32, usize) {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    let mut all = 0u32;
    for (at, c) in text.char_indices() {
        all = all.wrapping_mul(31).wrapping_add(c as u32 ^ at as u32);
    }
    let widths = text.chars().map(char::len_utf8).sum();
    (all, text.chars().count(), text.bytes().map(u32::from).sum(), widths)
}

#[routine]
fn from_both_ends(seed: [u8; 6]) -> (u32, u32, usize) {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = core::str::from_utf8(&buffer[..length]).unwrap_or("?");
    let mut all = 0u32;
    let mut chars = text.chars();
    while let Some(c) = chars.next_back() {
        all = all.wrapping_mul(31).wrapping_add(c as u32);
        if let Some(c) = chars.next() {
            all = all.wrapping_mul(37).wrapping_add(c as u32);
        }
        all = all.wrapping_add(chars.as_str().len() as u32);
    }
    let back = text.char_indices().rev().fold(0u32, |all, (at, c)| {
        all.wrapping_mul(31).wrapping_add(c as u32 + at as u32)
    });
    (
        all,
        back,
        text.bytes().rev().position(|byte| byte == b'=').unwrap_or(99),
    )
}

#[routine]
fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

#[routine]
fn text_searched(x: u32) -> ([Option<usize>; 8], [bool; 6]) {
    let text = text_of(x);
    let list = ['=', ','];
    let found = [
        text.find('='),
        text.rfind('a'),
        text.find(|c| c == 'k' || c == 'ß'),
        text.find(['=', ' ']),
        text.find(&list),
        text.rfind(&list[..]),
        text.find(is_vowel),
        text.rfind(char::is_whitespace),
    ];
    let is = [
        text.contains('x'),
        text.contains(char::is_whitespace),
        text.starts_with(' '),
        text.ends_with(&list),
        text.starts_with(is_vowel),
        text.is_ascii(),
    ];
    (found, is)
}

#[routine]
fn searched_by_text(seed: [u8; 6], y: u32) -> ([Option<usize>; 2], [bool; 4]) {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    let part = ["", "a", "=é", "漢", "aa", "🦀", "a=", "é"][y as usize % 8];
    (
        [text.find(part), text.rfind(&part)],
        [
            text.contains(part),
            text.starts_with(part),
            text.ends_with(part),
            text.eq_ignore_ascii_case(part),
        ],
    )
}

#[routine]
fn searched_by_characters(seed: [u8; 6], code: u8) -> ([Option<usize>; 3], usize) {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    let one = char::from(code);
    (
        [
            text.find(one),
            text.rfind([one, 'é']),
            text.find(|c: char| c > '\u{7f}'),
        ],
        text.trim_matches(one).len(),
    )
}

#[routine]
fn stripped(x: u32) -> ([u32; 12], (u32, u32), (u32, u32)) {
    let text = text_of(x);
    let all = [
        text.trim(),
        text.trim_start(),
        text.trim_end(),
        text.trim_matches('='),
        text.trim_end_matches("a"),
        text.trim_start_matches(is_vowel),
        text.trim_ascii(),
        text.strip_prefix("a").unwrap_or("?"),
        text.strip_suffix(' ').unwrap_or("!"),
        text.strip_prefix(is_vowel).unwrap_or(""),
        text.trim_matches(&['a', ' ']),
        text.trim_start_matches("a="),
    ];
    let (before, behind) = text.split_once('=').unwrap_or(("?", text));
    let (first, last) = text.rsplit_once("=").unwrap_or((text, ""));
    (
        all.map(|text| hash(1, text)),
        (hash(1, before), hash(2, behind)),
        (hash(1, first), hash(2, last)),
    )
}

#[routine]
fn parts(x: u32, y: u8) -> ([u32; 6], bool) {
    let (text, at) = (text_of(x), y as usize % 8);
    let all = [
        text.get(at..),
        text.get(..at),
        text.get(1..at),
        text.get(..=at),
        text.get(at..=at + 2),
        text.split_at_checked(at).map(|both| both.1),
    ];
    (
        all.map(|part| part.map_or(7, |part| hash(1, part))),
        text.is_char_boundary(at),
    )
}

#[routine]
fn cut_anywhere(x: u32, y: u8) -> usize {
    let (text, at) = (text_of(x), y as usize % 4);
    let part = match y / 4 % 8 {
        0 => &text[at..at + 1],
        1 => &text[at..],
        2 => &text[3..at],
        _ => &text[..at],
    };
    part.len()
}

#[routine]
fn split_at_anywhere(x: u32) -> (usize, usize) {
    let (before, behind) = text_of(x).split_at(0);
    (before.len(), behind.len())
}

#[routine]
fn split_by_text(seed: [u8; 6], y: u32) -> [u32; 5] {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    let part = ["a", "", "=", "漢", "aa", "a="][y as usize % 6];
    [
        text.split(part).fold(1, hash),
        text.rsplit(part).fold(1, hash),
        text.splitn(2, part).fold(1, hash),
        text.split_terminator(part).fold(1, hash),
        text.split(part).count() as u32,
    ]
}

#[routine]
fn split_by_characters(seed: [u8; 6], y: u8) -> [u32; 9] {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    let list = ['é', '='];
    [
        text.split('=').fold(1, hash),
        text.split(list).fold(1, hash),
        text.split(&list[..y as usize % 3]).fold(1, hash),
        text.split(|c: char| c < 'b').fold(1, hash),
        text.rsplit('a').fold(1, hash),
        text.split('=').rev().fold(1, hash),
        text.splitn(y as usize % 4, is_vowel).fold(1, hash),
        text.split_terminator('=').rev().fold(1, hash),
        text.split(char::is_whitespace)
            .map(|word| word.chars().count() as u32)
            .sum(),
    ]
}

/// A part with where it is.
#[routine]
fn placed(a: u32, (at, text): (usize, &str)) -> u32 {
    hash(a ^ at as u32, text)
}

#[routine]
fn text_matched(seed: [u8; 6], y: u32) -> [u32; 5] {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    let part = ["a", "", "=", "漢", "aa", "a="][y as usize % 6];
    [
        text.matches(part).count() as u32,
        text.matches(part).fold(1, hash),
        text.rmatches(part).fold(1, hash),
        text.match_indices(part).fold(1, placed),
        text.rmatch_indices(part).fold(1, placed),
    ]
}

#[routine]
fn characters_matched(seed: [u8; 6], y: u8) -> [u32; 7] {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    let list = ['é', '='];
    [
        text.matches('a').count() as u32,
        text.matches(list).fold(1, hash),
        text.matches(&list[..y as usize % 3]).rev().fold(1, hash),
        text.rmatches(char::is_alphanumeric).fold(1, hash),
        text.match_indices(|c: char| c > 'b').fold(1, placed),
        text.match_indices('=').rev().fold(1, placed),
        text.rmatch_indices(is_vowel).fold(1, placed),
    ]
}

#[routine]
fn split_with_ends(seed: [u8; 6], y: u32) -> [u32; 5] {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    let part = ["a", "", "=", "漢", "aa", "a="][y as usize % 6];
    [
        text.split_inclusive(part).fold(1, hash),
        text.split_inclusive('=').fold(1, hash),
        text.split_inclusive(['a', 'é']).fold(1, hash),
        text.split_inclusive(|c: char| c < 'b').fold(1, hash),
        text.split_inclusive(is_vowel).count() as u32,
    ]
}

#[routine]
fn split_from_behind(seed: [u8; 6], y: u32) -> [u32; 4] {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    let part = ["a", "", "=", "漢", "aa", "a="][y as usize % 6];
    let count = (y / 6) as usize % 4;
    [
        text.rsplitn(count, part).fold(1, hash),
        text.rsplitn(2, '=').fold(1, hash),
        text.rsplitn(count, &['a', 'é']).fold(1, hash),
        text.rsplitn(3, is_vowel).fold(1, hash),
    ]
}

#[routine]
fn split_into_words(x: u32) -> [u32; 4] {
    let text = text_of(x);
    [
        text.split_whitespace().fold(1, hash),
        text.split_ascii_whitespace().fold(1, hash),
        text.split_whitespace().rev().fold(1, hash),
        text.split_whitespace().last().map_or(0, |word| hash(5, word)),
    ]
}

#[routine]
fn split_into_lines(seed: [u8; 6], x: u32) -> [u32; 4] {
    let mut buffer = [0; 24];
    let length = made(seed, &mut buffer);
    let text = std::str::from_utf8(&buffer[..length]).unwrap();
    [
        text.lines().fold(1, hash),
        text.lines().rev().fold(1, hash),
        text_of(x).lines().fold(1, hash),
        text_of(x).lines().rev().fold(1, hash),
    ]
}

const NUMBERS: [&str; 16] = [
    "",
    "+",
    "-",
    "0",
    "-0",
    "+12",
    "4294967295",
    "4294967296",
    "-128",
    "-129",
    "12a",
    "0xff",
    "00255",
    "18446744073709551616",
    "-1",
    "９",
];

#[routine]
fn parsed(x: u32) -> (u32, i8, u64, bool, Option<char>, u16) {
    let text = NUMBERS[x as usize % 16];
    let a = match text.parse::<u32>() {
        Ok(x) => x,
        Err(error) => match error.kind() {
            std::num::IntErrorKind::Empty => 1_000,
            std::num::IntErrorKind::PosOverflow => 2_000,
            _ => 3_000,
        },
    };
    let b: i8 = text.parse().unwrap_or(55);
    let truth = ["true", "false", "True"][x as usize % 3].parse().unwrap_or(false);
    (
        a,
        b,
        text.parse().unwrap_or_default(),
        truth,
        text.parse().ok(),
        u16::from_str_radix(text, 16).unwrap_or(7),
    )
}

#[routine]
fn parsed_wide(x: u32) -> (i128, u128, i64) {
    let text = NUMBERS[x as usize % 16];
    (
        text.parse().unwrap_or(1),
        text.parse().unwrap_or(2),
        text.parse::<i64>().unwrap_or(3),
    )
}

#[routine]
fn of_bytes(seed: u32) -> (usize, Option<usize>, usize) {
    const BYTES: [u8; 16] = [
        0x41, 0xc3, 0xe1, 0xed, 0xf0, 0xf4, 0x80, 0x9f, 0xa0, 0xbf, 0x90, 0xe0, 0xc1, 0xff, 0xc2, 0x8f,
    ];
    let mixed = seed.wrapping_mul(0x9e37_79b9);
    let bytes = [4, 8, 16, 20].map(|shift| BYTES[(mixed >> shift) as usize % 16]);
    match std::str::from_utf8(&bytes) {
        Ok(text) => (100, None, text.chars().count()),
        Err(error) => (error.valid_up_to(), error.error_len(), 0),
    }
}

#[derive(VmType, Clone, Copy)]
struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

#[routine]
impl<'a> Lexer<'a> {
    fn word(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        let start = rest.find(|c: char| c.is_ascii_alphanumeric())?;
        let rest = &rest[start..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.at += start + end;
        Some(&rest[..end])
    }
}

#[routine]
fn kept_in_a_struct(x: u32) -> (u32, u32) {
    let mut lexer = Lexer {
        text: text_of(x),
        at: 0,
    };
    let (mut count, mut all) = (0, 0);
    while let Some(word) = lexer.word() {
        count += 1;
        all = hash(all, word);
    }
    (count, all)
}

#[routine]
fn unwrapped(x: u32) -> u32 {
    let x = if x % 8 == 3 { 3 } else { 1 };
    checked(x).unwrap()
}

#[routine]
fn panics_with_text(x: u32, y: u32) -> u32 {
    let text = text_of(x);
    if y % 16 == 1 {
        panic!("{text:?} is bad");
    }
    if y % 16 == 2 {
        panic!("{} of {text:>8}", x % 12);
    }
    x
}

#[routine]
fn asserts_with_text(x: u32) -> u32 {
    let text = text_of(x % 4);
    assert!(x % 16 != 3, "{}", text);
    assert_eq!(text, text_of(if x % 16 == 5 { 0 } else { x % 4 }));
    x
}

#[routine]
fn expects_text(x: u32) -> u32 {
    let why = NAMES[x as usize % 4];
    let some = (x % 16 != 3).then_some(x).expect(why);
    let fine = if x % 16 == 6 { checked(0) } else { Ok(1) };
    some ^ fine.expect(why)
}

#[routine]
fn text_by_path(x: u32) -> (usize, [usize; 4], bool) {
    (
        str::len(text_of(x)),
        [0, 1, 2, 3].map(|i| NAMES[i]).map(str::len),
        TEXTS.iter().copied().all(str::is_empty),
    )
}

#[routine]
fn says(x: u32) -> u32 {
    let text = text_of(x);
    println!(
        "{text} {text:?} {text:>12}| {:-^9}| {:.2} {} {:?}",
        text,
        text,
        x,
        Some(text)
    );
    println!("{:?} {:?}", &NAMES[(x % 4) as usize..], INSTRUCTIONS[x as usize % 3]);
    x
}

#[test]
fn text_is_printed() {
    let shown = |engine| {
        let done = runtime()
            .launch("says")
            .unwrap()
            .args((&[0u32, 2, 3, 5, 10],))
            .engine(engine)
            .run()
            .unwrap();
        done.logs()
            .iter()
            .map(|line| (line.vm, line.text.clone()))
            .collect::<Vec<_>>()
    };
    let expected = shown(Engine::Native);
    assert_eq!(
        expected[2].1,
        "grün=ß,x \"grün=ß,x\"     grün=ß,x| grün=ß,x-| gr 2 Some(\"grün=ß,x\")"
    );
    for engine in ENGINES {
        assert_eq!(shown(engine), expected, "{engine}");
    }
}

#[routine]
fn repeats(bytes: &[u8], length: u32) -> u32 {
    let text = std::str::from_utf8(&bytes[..length as usize]).unwrap();
    println!("<{text:4}>");
    if length == 10 {
        panic!("{text}");
    }
    length
}

/// The host has no memory of the launch but the program's own: the rest of a text is kept where it is shown, as far as there is room.
#[test]
fn text_of_an_argument_is_shown_as_far_as_there_is_room() {
    let bytes = "ä".repeat(40).into_bytes();
    for engine in ENGINES.into_iter().filter(|engine| *engine != Engine::Native) {
        let lengths = [0u32, 2, 64, 66];
        let done = runtime()
            .launch("repeats")
            .unwrap()
            .args((&bytes, &lengths))
            .engine(engine)
            .run()
            .unwrap();
        let lines: Vec<&str> = done.logs().iter().map(|line| line.text.as_str()).collect();
        let whole = format!("<{}>", "ä".repeat(32));
        let cut = format!("<{}…>", "ä".repeat(32));
        assert_eq!(lines, ["<    >", "<ä   >", &whole, &cut], "{engine}");
        let error = runtime()
            .launch("repeats")
            .unwrap()
            .args((&bytes, &[10u32]))
            .engine(engine)
            .run()
            .unwrap_err();
        assert!(error.to_string().ends_with(": äääää"), "{engine}: {error}");
    }
}
