//! `Option` and `Result` whole: `?` with conversions, and std's methods, on locals, fields and elements.

use gpuvm::prelude::*;

cases! {
    question_on_results, converts_errors, option_methods_with_closures, option_in_place, option_pairs, option_references, result_methods, result_chains,
    fields_and_elements, bool_to_option, between_both,
    unwrapped_results, unwrapped_errors, expected_results, unwrapped_conversions, values_in_texts, small_values_in_texts,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Low {
    Zero,
    Big(u32),
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum High {
    Low(Low),
    Odd,
}

#[routine]
impl From<Low> for High {
    fn from(low: Low) -> High {
        High::Low(low)
    }
}

#[routine]
fn check(a: u32) -> Result<u32, Low> {
    if a == 0 {
        return Err(Low::Zero);
    }
    if a > 1000 { Err(Low::Big(a)) } else { Ok(a * 2) }
}

#[routine]
fn question_on_results(a: u32, b: u32) -> Result<u32, Low> {
    let x = check(a % 1500)?;
    Ok(x ^ check(b % 3)?)
}

#[routine]
fn converts_errors(a: u32, b: u32) -> Result<u32, High> {
    let x = check(a % 1500)?;
    let y = check(b % 3)? + 1;
    if (x + y) % 4 == 1 {
        return Err(High::Odd);
    }
    Ok(x + y)
}

#[routine]
fn option_methods_with_closures(a: u32, b: u32) -> (Option<u64>, u32, u32, Option<u32>, bool, bool) {
    let some = a.checked_sub(b);
    (
        some.map(|x| u64::from(x) << 4),
        some.map_or(77, |x| x ^ b),
        some.map_or_else(|| b, |x| x / 2),
        some.and_then(|x| x.checked_sub(100))
            .or_else(|| b.checked_sub(7))
            .filter(|x| x % 3 != 0),
        some.is_some_and(|x| x > 5),
        some.is_none_or(|x| x % 2 == 0),
    )
}

#[routine]
fn option_in_place(a: u32, b: u32) -> (Option<u32>, Option<u32>, u32, Option<u32>, u32) {
    let mut slot = a.checked_sub(b);
    let taken = slot.take();
    let old = slot.replace(a % 7);
    *slot.get_or_insert(3) += 1;
    let mut empty = None;
    let inserted = *empty.get_or_insert_with(|| b % 9);
    let even = slot.take_if(|x| *x % 2 == 0);
    let kept = *slot.insert(b);
    (taken, old, inserted, even, kept)
}

#[routine]
fn option_pairs(a: u32, b: u32) -> (Option<u32>, Option<u32>, Option<(u32, u8)>, Option<u8>, Option<u32>) {
    let x = a.checked_sub(b);
    let y = if b % 3 == 0 { None } else { Some(b as u8) };
    (
        x.or(Some(b)),
        x.xor(b.checked_sub(a)),
        x.zip(y),
        x.and(y),
        Some(x).flatten(),
    )
}

#[routine]
fn option_references(a: u32, b: u32) -> (Option<u32>, u32, u32) {
    let mut slot = a.checked_sub(b);
    if let Some(x) = slot.as_mut() {
        *x ^= 5;
    }
    let seen = slot.as_ref().map(|x| *x / 3);
    (seen, slot.unwrap_or_else(|| b + 1), slot.as_ref().copied().unwrap_or(1))
}

#[routine]
fn result_methods(a: u32) -> (Option<u32>, Option<Low>, u32, u32, bool, bool) {
    let r = check(a % 1500);
    (
        r.ok(),
        r.err(),
        r.unwrap_or(3),
        r.unwrap_or_else(|e| match e {
            Low::Zero => 1,
            Low::Big(n) => n,
        }),
        r.is_ok_and(|x| x > 10),
        r.is_err_and(|e| e == Low::Zero),
    )
}

#[routine]
fn result_chains(a: u32, b: u32) -> (Result<u64, u32>, u32, Result<u32, High>) {
    let r = check(a % 1500);
    (
        r.map(u64::from).map_err(|e| if let Low::Big(n) = e { n } else { 0 }),
        r.and_then(|x| check(x ^ b % 2000)).map_or(9, |x| x + 1),
        r.or_else(|e| if b % 2 == 0 { Ok(b) } else { Err(High::Low(e)) }),
    )
}

#[derive(VmType, Clone, Copy, Debug)]
struct Cache {
    slots: [Option<u32>; 3],
    last: Option<u32>,
}

#[routine]
fn fields_and_elements(a: u32, b: u32) -> (Cache, Option<u32>, u32) {
    let mut cache = Cache {
        slots: [None; 3],
        last: Some(a),
    };
    let i = (b % 3) as usize;
    let before = cache.slots[i].replace(a);
    let last = cache.last.take();
    let mut found = 0;
    for slot in &mut cache.slots {
        found += slot.take().map_or(1, |x| x % 5);
    }
    cache.slots[i] = before.or(last);
    (cache, last, found)
}

#[routine]
fn bool_to_option(a: u32, b: u32) -> (Option<u32>, Option<u32>) {
    ((a > b).then(|| a - b), (a % 2 == 0).then_some(b))
}

#[routine]
fn between_both(a: u32, b: u32) -> Result<u32, u8> {
    let x = a.checked_sub(b).ok_or(1u8)?;
    let y = b.checked_sub(9).ok_or_else(|| (b % 7) as u8)?;
    Ok(x ^ y)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Fault {
    Empty,
    Byte(u8),
    At { line: u16, column: u16 },
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Span(u32, u32);

#[routine(callee)]
fn faulty(n: u32) -> Result<u32, Fault> {
    match n % 16 {
        0 => Err(Fault::Empty),
        1 => Err(Fault::Byte(n as u8)),
        2 => Err(Fault::At {
            line: n as u16,
            column: (n >> 16) as u16,
        }),
        _ => Ok(n / 16),
    }
}

#[routine]
fn unwrapped_results(n: u32) -> u32 {
    faulty(n).unwrap() + 1
}

#[routine]
fn unwrapped_errors(n: u32) -> (u32, Option<Fault>) {
    let span: Result<Span, u32> = if n % 8 == 0 { Ok(Span(n, 3)) } else { Err(n) };
    (span.unwrap_err(), faulty(n).err())
}

#[routine]
fn expected_results(n: u32, a: f64) -> (u32, f64) {
    let number: Result<f64, (bool, char)> = if n % 7 == 0 { Err((n % 2 == 0, 'q')) } else { Ok(a) };
    (faulty(n).expect("no fault"), number.expect("a {number}"))
}

#[routine]
fn unwrapped_conversions(n: u32, list: [u32; 8]) -> (u8, [u32; 2]) {
    let part = &list[..(list[0] % 8 / 3) as usize + 1];
    let pair: [u32; 2] = part.try_into().unwrap_or([n; 2]);
    let byte: u8 = (n >> 20 & 0x13f).try_into().unwrap();
    (byte, pair)
}

#[routine]
fn values_in_texts(n: u32, a: i64) -> u32 {
    let fault = faulty(n);
    assert!(n % 5 != 0, "not {fault:?}");
    assert!(n % 9 != 0, "a span is {:?}", Span(n, 2));
    assert!(n % 11 != 0, "{:?} and {a}", Some(7u8));
    n
}

#[routine]
fn small_values_in_texts(n: u32, c: char) -> u32 {
    assert!(n % 6 != 0, "{c} is {:?}", c);
    assert!(n % 7 != 0, "{:?}{:?}", (true,), Some(n % 2 == 0));
    n
}
