//! `parse` of `f32` and `f64`: std's results, rounded once, of every form and of nearly every length.

use std::num::ParseFloatError;

use gpuvm::prelude::*;
use proptest::prelude::*;

use crate::harness::{ENGINES, runtime};

cases! { forms, mistakes, written, parsed_sums, from_str, parsed_generic }

const FORMS: [&str; 40] = [
    "0",
    "-0",
    "1",
    "+1",
    "-1.5",
    "3.14159",
    "2.",
    ".5",
    "-.25",
    "1e3",
    "1E3",
    "1e+3",
    "1e-3",
    "12.5e-1",
    "0.1",
    "0.2",
    "0.3",
    "1e10",
    "1e22",
    "1e23",
    "8388608.5",
    "16777217",
    "16777216.5",
    "9007199254740993",
    "9007199254740992.5",
    "1e38",
    "3.4028235e38",
    "3.4028236e38",
    "3.5e38",
    "1e-45",
    "7e-46",
    "1.17549435e-38",
    "inf",
    "-inf",
    "+Infinity",
    "NaN",
    "-nan",
    "iNf",
    "infinity",
    "00000.00000100",
];

#[routine]
fn forms(a: u32) -> (Option<f32>, Option<f64>) {
    let text = FORMS[a as usize % 40];
    (text.parse().ok(), text.parse::<f64>().ok())
}

const MISTAKES: [&str; 24] = [
    "", "+", "-", ".", "e5", "1e", "1e+", "1e-", ".e1", "1.2.3", "--1", "1 ", " 1", "1_000", "0x10", "1f32", "infinit",
    "in", "nano", "1e5.0", "1e 5", "é", "+-1", "٣",
];

#[routine]
fn mistakes(a: u32) -> (bool, u32, bool) {
    let text = MISTAKES[a as usize % 24];
    let nothing: Result<f32, ParseFloatError> = "".parse();
    let kind = match text.parse::<f64>() {
        Ok(_) => 0,
        Err(error) if Err(error.clone()) == "".parse::<f64>() => 1,
        Err(_) => 2,
    };
    (text.parse::<f32>().is_err(), kind, text.parse::<f32>() == nothing)
}

/// A number that the VM has written itself: digits, a point and an exponent.
#[routine]
fn written(a: u64, b: u32) -> Option<f64> {
    let mut text = [b'0'; 24];
    let mut left = a;
    for at in (0..20).rev() {
        text[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if at == b as usize % 24 {
            text[at] = b'.';
        }
    }
    text[20] = b'e';
    text[21] = if b % 3 == 0 { b'-' } else { b'+' };
    text[22] += (b >> 8) as u8 % 3;
    text[23] += (b >> 16) as u8 % 10;
    std::str::from_utf8(&text).ok()?.parse().ok()
}

#[routine]
fn parsed_sums(a: u32) -> Option<f64> {
    let list = [
        "1.5,2.25,-3",
        "0.1, 0.2, 0.3",
        "1e30,1e30",
        "1,x",
        "-0,0",
        "4.9e-9,5e-10",
    ][a as usize % 6];
    let mut sum = 0.0;
    for part in list.split(',') {
        sum += part.trim().parse::<f64>().ok()?;
    }
    Some(sum)
}

/// A mistake in it panics.
#[routine]
fn from_str(a: u32) -> f32 {
    use std::str::FromStr;
    let text = ["1.5", "-2e3", "x", "7.25", "1e9", "0.1", "10", "100"][a as usize % 8];
    f32::from_str(text).unwrap() + <f32 as FromStr>::from_str("1").unwrap_or(0.0)
}

#[routine]
fn average<T: std::str::FromStr + Into<f64>>(text: &str) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for value in text.split(' ').filter_map(|part| part.parse::<T>().ok()) {
        sum += value.into();
        count += 1;
    }
    sum / f64::from(count)
}

#[routine]
fn parsed_generic(a: u32) -> (f64, f64) {
    let text = ["1 2.5", "0.7 x", "-4 1e2", "16777217"][a as usize % 4];
    (average::<f32>(text), average::<i32>(text))
}

#[routine(id = "parsed_floats_of_bytes")]
fn parsed_of_bytes(text: [u8; 48]) -> (Option<f32>, Option<f64>) {
    let length = text.iter().position(|byte| *byte == 0).unwrap_or(48);
    let Ok(text) = std::str::from_utf8(&text[..length]) else {
        return (None, None);
    };
    (text.parse().ok(), text.parse().ok())
}

/// Launches it with texts and compares the bits with std's.
fn check(texts: &[String]) {
    let columns: Vec<[u8; 48]> = texts
        .iter()
        .map(|text| {
            let mut column = [0; 48];
            column[..text.len()].copy_from_slice(text.as_bytes());
            column
        })
        .collect();
    for engine in ENGINES {
        let done = runtime()
            .launch("parsed_floats_of_bytes")
            .and_then(|launch| launch.engine(engine).args((&columns,)).run())
            .unwrap_or_else(|error| panic!("{engine}: {error}"));
        let parsed: Vec<(Option<f32>, Option<f64>)> = done.output().unwrap_or_else(|error| panic!("{engine}: {error}"));
        for (text, (single, double)) in texts.iter().zip(parsed) {
            let expected = (text.parse::<f32>().ok(), text.parse::<f64>().ok());
            assert_eq!(
                format!("{:?}", (single, double)),
                format!("{expected:?}"),
                "{engine}: {text}"
            );
        }
    }
}

/// A decimal number half-way between two singles, and its neighbours in the last digit.
fn near_half(bits: u32) -> Vec<String> {
    let value = f32::from_bits(bits % 0x7f80_0000);
    let next = f32::from_bits((bits % 0x7f80_0000) + 1);
    let middle = (f64::from(value) + f64::from(next)) / 2.0;
    let text = format!("{middle:.25e}");
    let long = format!("{middle:e}");
    vec![
        text,
        long.clone(),
        long.replace('e', "0000000001e"),
        format!("{value:e}"),
        format!("{:e}", f64::from(value)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bits_of_numbers(bits in proptest::collection::vec(any::<u64>(), 64)) {
        let texts: Vec<String> = bits
            .iter()
            .map(|&bits| match bits % 3 {
                0 => format!("{:e}", f64::from_bits(bits)),
                1 => format!("{:e}", f32::from_bits(bits as u32)),
                _ => format!("{}.{:05}e{}", bits >> 24, bits & 0xffff, (bits >> 8 & 0x3f) as i64 - 32),
            })
            .collect();
        check(&texts);
    }

    #[test]
    fn halves(bits in proptest::collection::vec(any::<u32>(), 12)) {
        let texts: Vec<String> = bits.iter().flat_map(|&bits| near_half(bits)).filter(|text| text.len() <= 48).collect();
        check(&texts);
    }
}

#[routine(id = "parsed_floats_long")]
fn long(digits: u32, exponent: u32) -> Option<f64> {
    // 2^-1074 and half of it, with and without a digit behind all others.
    let text = LONG.get(digits as usize % LONG.len())?;
    let value: f64 = text.parse().ok()?;
    Some(if exponent == 0 { value } else { -value })
}

/// The number half-way between 0 and the least `f64` above, to the last of its 752 digits, and what is a little less, and more.
const LONG: [&str; 3] = [
    "2.4703282292062327208e-324",
    include_str!("half_of_least.txt"),
    concat!(include_str!("half_of_least.txt"), "1"),
];

#[test]
fn as_many_digits_as_there_are() {
    let columns = [0u32, 1, 2, 0, 1, 2];
    let signs = [0u32, 0, 0, 1, 1, 1];
    for engine in ENGINES {
        let done = runtime()
            .launch("parsed_floats_long")
            .and_then(|launch| launch.engine(engine).args((&columns, &signs)).run())
            .unwrap_or_else(|error| panic!("{engine}: {error}"));
        let parsed: Vec<Option<f64>> = done.output().unwrap_or_else(|error| panic!("{engine}: {error}"));
        let expected: Vec<Option<f64>> = columns
            .iter()
            .zip(signs)
            .map(|(digits, sign)| long(*digits, sign))
            .collect();
        assert_eq!(format!("{parsed:?}"), format!("{expected:?}"), "{engine}");
    }
}
